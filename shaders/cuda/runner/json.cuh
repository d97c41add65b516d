// JSON parser (RFC 8259) for requests, one request per line.

namespace harness {

class Json {
 public:
  enum class Kind { null, boolean, number, text, array, object };

  // Throws a Failure if the text is not JSON.
  static Json parse(const std::string& text) {
    size_t at = 0;
    const Json value = read(text, at, 0);
    skip(text, at);
    if (at != text.size()) fail(at);
    return value;
  }

  // Returns a required field.
  const Json& operator[](const char* name) const {
    const Json* found = find(name);
    if (found == nullptr) throw Failure{"constraint", std::string("The request has no field '") + name + "'."};
    return *found;
  }
  const Json* find(const char* name) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return &items_[i];
    }
    return nullptr;
  }
  const std::vector<Json>& items() const { return expect(Kind::array, "an array").items_; }
  const std::string& text() const { return expect(Kind::text, "a string").text_; }
  bool boolean() const { return expect(Kind::boolean, "true or false").number_ != 0; }
  // null represents infinity, which JSON cannot encode.
  double number() const { return kind_ == Kind::null ? INFINITY : expect(Kind::number, "a number").number_; }
  long long integer() const {
    const double value = expect(Kind::number, "a number").number_;
    if (value != std::floor(value) || std::fabs(value) > 9007199254740992.0) throw Failure{"constraint", "Expected an integer in the request."};
    return static_cast<long long>(value);
  }
  double numberOr(const char* name, double otherwise) const {
    const Json* found = find(name);
    return found == nullptr ? otherwise : found->number();
  }

 private:
  static constexpr int kDeepest = 64;

  const Json& expect(Kind kind, const char* what) const {
    if (kind_ != kind) throw Failure{"constraint", std::string("Expected ") + what + " in the request."};
    return *this;
  }
  [[noreturn]] static void fail(size_t at) {
    throw Failure{"constraint", "The request is not valid JSON at character " + std::to_string(at + 1) + "."};
  }
  static void skip(const std::string& s, size_t& at) { at = std::min(s.find_first_not_of(" \t\r\n", at), s.size()); }

  static Json read(const std::string& s, size_t& at, int depth) {
    skip(s, at);
    if (at >= s.size() || depth > kDeepest) fail(at);
    if (s[at] == '{' || s[at] == '[') return readItems(s, at, depth);
    if (s[at] == '"') return of(Kind::text, 0, readText(s, at));
    for (const auto& [word, kind, value] : {std::tuple{"null", Kind::null, 0.0}, {"true", Kind::boolean, 1.0}, {"false", Kind::boolean, 0.0}}) {
      if (s.compare(at, std::strlen(word), word) != 0) continue;
      at += std::strlen(word);
      return of(kind, value, "");
    }
    const size_t end = std::min(s.find_first_not_of("+-.0123456789eE", at), s.size());
    const std::string digits = s.substr(at, end - at);
    char* parsed = nullptr;
    const double value = std::strtod(digits.c_str(), &parsed);
    if (digits.empty() || *parsed != '\0') fail(at);
    at = end;
    return of(Kind::number, value, "");
  }

  static Json readItems(const std::string& s, size_t& at, int depth) {
    const bool object = s[at++] == '{';
    const char close = object ? '}' : ']';
    Json value = of(object ? Kind::object : Kind::array, 0, "");
    for (skip(s, at); at < s.size() && s[at] != close;) {
      if (!value.items_.empty()) {
        if (s[at++] != ',') fail(at - 1);
        skip(s, at);
      }
      if (object) {
        value.names_.push_back(readText(s, at));
        skip(s, at);
        if (at >= s.size() || s[at++] != ':') fail(at);
      }
      value.items_.push_back(read(s, at, depth + 1));
      skip(s, at);
    }
    if (at >= s.size()) fail(at);
    ++at;
    return value;
  }

  static std::string readText(const std::string& s, size_t& at) {
    if (at >= s.size() || s[at] != '"') fail(at);
    std::string out;
    for (++at; at < s.size() && s[at] != '"'; ++at) {
      if (s[at] != '\\') {
        out += s[at];
        continue;
      }
      if (++at >= s.size()) fail(at);
      constexpr char kLetters[] = "bfnrt", kMeanings[] = "\b\f\n\r\t";
      const char* letter = std::strchr(kLetters, s[at]);
      if (s[at] == 'u') appendUtf8(out, unit(s, at));
      else out += letter == nullptr ? s[at] : kMeanings[letter - kLetters];
    }
    if (at >= s.size()) fail(at);
    ++at;
    return out;
  }

  // Returns the code point of \uXXXX or of a surrogate pair, and moves `at` from the u to the last
  // digit.
  static unsigned unit(const std::string& s, size_t& at) {
    const auto four = [&s](size_t from) { return static_cast<unsigned>(std::strtoul(s.substr(from, 4).c_str(), nullptr, 16)); };
    unsigned code = four(at + 1);
    at += 4;
    if (code >= 0xd800 && code < 0xdc00 && s.compare(at + 1, 2, "\\u") == 0) {
      code = 0x10000 + ((code - 0xd800) << 10) + (four(at + 3) - 0xdc00);
      at += 6;
    }
    return code;
  }
  static void appendUtf8(std::string& out, unsigned code) {
    const auto add = [&out](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) add(0xc0 | code >> 6);
    else if (code < 0x10000) add(0xe0 | code >> 12), add(0x80 | (code >> 6 & 63));
    else add(0xf0 | code >> 18), add(0x80 | (code >> 12 & 63)), add(0x80 | (code >> 6 & 63));
    add(0x80 | (code & 63));
  }

  static Json of(Kind kind, double number, const std::string& text) {
    Json value;
    value.kind_ = kind;
    value.number_ = number;
    value.text_ = text;
    return value;
  }

  Kind kind_ = Kind::null;
  double number_ = 0;
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Json> items_;
};

}  // namespace harness
