// Reads NumPy .npy files (format 1 to 3; f2, f4, f8, i1 or i4; C or Fortran order), and writes them
// in C order.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>

namespace npy {

[[noreturn]] inline void fail(const std::string& path, const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what.c_str());
  std::exit(2);
}

// Converts an IEEE 754 half: 5 exponent bits, 10 mantissa bits.
inline double half(unsigned short bits) {
  const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  const double size = exponent == 31  ? (mantissa == 0 ? INFINITY : NAN)
                      : exponent == 0 ? std::ldexp(mantissa, -24)
                                      : std::ldexp(1024 + mantissa, exponent - 25);
  return bits >> 15 ? -size : size;
}

struct Array {
  long long rows = 0, columns = 0;
  bool fortran = false;
  std::string type;  // f4, ...
  std::string bytes;

  double at(long long row, long long column) const {
    const long long index = fortran ? column * rows + row : row * columns + column;
    if (type == "f4") return read<float>(index);
    if (type == "f8") return read<double>(index);
    if (type == "f2") return half(read<unsigned short>(index));
    if (type == "i4") return read<int>(index);
    return read<signed char>(index);
  }

 private:
  template <class T>
  T read(long long index) const {
    T value;
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  }
};

// Returns the text that follows a key in the header, which is a Python dictionary in one line.
inline std::string valueOf(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : header.find(':', at);
  const size_t begin = colon == std::string::npos ? colon : header.find_first_not_of(' ', colon + 1);
  return begin == std::string::npos ? "" : header.substr(begin);
}

// Loads a matrix with the given extents.
inline Array load(const std::string& path, const char* name, long long rows, long long columns) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, "cannot be opened.");
  std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (all.size() < 12 || all.compare(0, 6, "\x93NUMPY") != 0) fail(path, "is not a .npy file.");
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(all[at])); };
  const bool first = all[6] == 1;
  const size_t begin = first ? 10 : 12;
  const size_t length = byte(8) | byte(9) << 8 | (first ? 0 : byte(10) << 16 | byte(11) << 24);
  if (length > all.size() - begin) fail(path, "ends within its header.");
  const std::string header = all.substr(begin, length);

  Array array;
  const std::string type = valueOf(header, "descr").substr(0, 5);
  for (const char* known : {"'<f2'", "'<f4'", "'<f8'", "'<i4'", "'|i1'"}) {
    if (type == known) array.type = type.substr(2, 2);
  }
  if (array.type.empty()) {
    fail(path, "has elements of type " + type + "; expected f2, f4, f8, i1 or i4 in little-endian order.");
  }
  array.fortran = valueOf(header, "fortran_order").compare(0, 4, "True") == 0;
  const std::string shape = valueOf(header, "shape");
  char end = 0;
  if (std::sscanf(shape.c_str(), "(%lld, %lld%c", &array.rows, &array.columns, &end) != 3 || end != ')') {
    fail(path, "has the shape " + shape.substr(0, shape.find(')') + 1) + "; expected two dimensions.");
  }
  const auto sizes = [](long long m, long long n) { return std::to_string(m) + " x " + std::to_string(n); };
  if (array.rows != rows || array.columns != columns) {
    fail(path, "is " + sizes(array.rows, array.columns) + "; expected " + sizes(rows, columns) + " for " + name + ".");
  }
  array.bytes = all.substr(begin + length);
  const size_t expected = static_cast<size_t>(rows) * columns * (array.type[1] - '0');
  if (array.bytes.size() < expected) {
    fail(path, "ends after " + std::to_string(array.bytes.size()) + " of " + std::to_string(expected) + " bytes.");
  }
  return array;
}

// Returns NumPy's name of a type.
template <class T>
constexpr const char* typeOf() {
  if constexpr (std::is_same_v<T, double>) return "<f8";
  else if constexpr (std::is_same_v<T, int>) return "<i4";
  else if constexpr (sizeof(T) == 1) return "|i1";
  else return "<f4";
}

// Writes rows x columns elements in C order; `at` returns an element.
template <class T, class At>
void save(const std::string& path, long long rows, long long columns, const At& at) {
  std::string header = std::string("{'descr': '") + typeOf<T>() + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  header.resize((10 + header.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(header.size() & 255)).put(static_cast<char>(header.size() >> 8));
  file << header;
  for (long long row = 0; row < rows; ++row) {
    for (long long column = 0; column < columns; ++column) {
      const T element = static_cast<T>(at(row, column));
      file.write(reinterpret_cast<const char*>(&element), sizeof element);
    }
  }
  if (!file.flush()) fail(path, "cannot be written.");
}

}  // namespace npy
