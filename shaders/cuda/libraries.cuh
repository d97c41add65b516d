// Libraries are opened at run time if they are installed; the build does not need them.

namespace harness {

inline void* openLibrary(const std::string& name) {
#ifdef _WIN32
  return reinterpret_cast<void*>(LoadLibraryA(name.c_str()));
#else
  return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
#endif
}

template <typename Function>
bool symbol(void* library, const char* name, Function& function) {
  if (library == nullptr) return false;
#ifdef _WIN32
  function = reinterpret_cast<Function>(
      reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name)));
#else
  function = reinterpret_cast<Function>(dlsym(library, name));
#endif
  return function != nullptr;
}

// Opens the NVIDIA driver library (libcuda); returns null if it is not installed.
inline void* openDriver() {
  for (const char* name : {"libcuda.so.1", "nvcuda.dll"}) {
    if (void* library = openLibrary(name)) return library;
  }
  return nullptr;
}

// Opens a library of the CUDA toolkit, such as cublas, from `folder`, the loader's path or the
// usual toolkit folders. First tries the major version that this program was built with. Returns
// null if no library is found.
inline void* openToolkitLibrary(const std::string& name, const std::string& folder) {
  std::vector<std::string> folders = {folder, ""};
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr) folders.push_back(std::string(root) + "/lib64");
  }
  folders.push_back("/usr/local/cuda/lib64");
  for (const int major : {CUDART_VERSION / 1000, 14, 13, 12, 11}) {
    for (const std::string& place : folders) {
#ifdef _WIN32
      const std::string file = name + "64_" + std::to_string(major) + ".dll";
#else
      const std::string file = "lib" + name + ".so." + std::to_string(major);
#endif
      void* library = openLibrary(place.empty() ? file : place + "/" + file);
      if (library != nullptr) return library;
    }
  }
  return nullptr;
}

// Formats a cuBLAS or cuBLASLt version, such as 130102 for 13.1.2.
inline std::string libraryVersion(long long number) {
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

}  // namespace harness
