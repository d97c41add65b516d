// Compiles kernels with NVRTC, if it is installed, so that nvcc is not needed.

namespace harness {

class Nvrtc {
 public:
  explicit Nvrtc(const std::string& folder) {
    void* library = openToolkitLibrary("nvrtc", folder);
    int (*version)(int*, int*) = nullptr;
    const bool all = symbol(library, "nvrtcCreateProgram", create_) && symbol(library, "nvrtcDestroyProgram", destroy_) &&
                     symbol(library, "nvrtcCompileProgram", compile_) &&
                     symbol(library, "nvrtcGetProgramLogSize", logSize_) && symbol(library, "nvrtcGetProgramLog", log_) &&
                     symbol(library, "nvrtcGetCUBINSize", cubinSize_) && symbol(library, "nvrtcGetCUBIN", cubin_) &&
                     symbol(library, "nvrtcVersion", version);
    int major = 0, minor = 0;
    if (all && version(&major, &minor) == 0) number = std::to_string(major) + "." + std::to_string(minor);
  }

  struct Result {
    bool ok;
    std::string log;
    std::vector<char> cubin;
  };

  Result compile(const std::string& source, const std::string& name, const std::vector<std::string>& flags) const {
    void* program = nullptr;
    if (create_(&program, source.c_str(), name.c_str(), 0, nullptr, nullptr) != 0) {
      throw Failure{"unavailable", "NVRTC rejected the source."};
    }
    std::vector<const char*> options;
    for (const std::string& flag : flags) options.push_back(flag.c_str());
    Result result = {compile_(program, static_cast<int>(options.size()), options.data()) == 0, "", {}};
    size_t size = 0;
    if (logSize_(program, &size) == 0 && size > 1) {
      result.log.resize(size);
      log_(program, result.log.data());
      result.log.resize(size - 1);
    }
    if (result.ok && cubinSize_(program, &size) == 0) {
      result.cubin.resize(size);
      result.ok = size > 0 && cubin_(program, result.cubin.data()) == 0;
    }
    destroy_(&program);
    return result;
  }

  // Version of NVRTC; empty if NVRTC is unavailable.
  std::string number;

 private:
  int (*create_)(void**, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  int (*destroy_)(void**) = nullptr;
  int (*compile_)(void*, int, const char* const*) = nullptr;
  int (*logSize_)(void*, size_t*) = nullptr;
  int (*log_)(void*, char*) = nullptr;
  int (*cubinSize_)(void*, size_t*) = nullptr;
  int (*cubin_)(void*, char*) = nullptr;
};

}  // namespace harness
