// Clocks, power and temperature of the GPU (NVML). Nothing is reported if NVML is missing.

namespace harness {

class Sensors {
 public:
  explicit Sensors(int device) {
    char bus[32] = "";
    if (cudaDeviceGetPCIBusId(bus, sizeof bus, device) != cudaSuccess) return;
    void* library = nullptr;
    for (const char* name : {"libnvidia-ml.so.1", "nvml.dll"}) {
      if (library == nullptr) library = openLibrary(name);
    }
    int (*init)() = nullptr;
    int (*find)(const char*, void**) = nullptr;
    int (*driver)(char*, unsigned) = nullptr;
    int (*maxClock)(void*, int, unsigned*) = nullptr;
    int (*limit)(void*, unsigned*) = nullptr;
    if (!symbol(library, "nvmlInit_v2", init) || !symbol(library, "nvmlDeviceGetHandleByPciBusId_v2", find) ||
        !symbol(library, "nvmlDeviceGetClockInfo", clock_) || init() != 0) {
      return;
    }
    if (find(bus, &device_) != 0) device_ = nullptr;
    char version[96] = "";
    if (symbol(library, "nvmlSystemGetDriverVersion", driver) && driver(version, sizeof version) == 0) {
      driverVersion = version;
    }
    if (device_ == nullptr) return;
    symbol(library, "nvmlDeviceGetPowerUsage", power_);
    symbol(library, "nvmlDeviceGetTemperature", temperature_);
    symbol(library, "nvmlDeviceGetTotalEnergyConsumption", energy_);
    unsigned value = 0;
    if (symbol(library, "nvmlDeviceGetMaxClockInfo", maxClock) && maxClock(device_, kSm, &value) == 0) peakSmMHz = value;
    if (symbol(library, "nvmlDeviceGetEnforcedPowerLimit", limit) && limit(device_, &value) == 0) {
      powerLimitW = value / 1000.0;
    }
  }

  bool there() const { return device_ != nullptr; }

  void sample() {
    if (device_ == nullptr) return;
    unsigned value = 0;
    if (clock_(device_, kSm, &value) == 0) sm_.push_back(value);
    if (clock_(device_, kMemory, &value) == 0) memory_.push_back(value);
    if (power_ != nullptr && power_(device_, &value) == 0) watts_.push_back(value / 1000.0);
    if (temperature_ != nullptr && temperature_(device_, 0, &value) == 0) degrees_.push_back(value);
  }

  // Returns the energy in joules since the driver was loaded, or 0 if it is not counted.
  double joules() const {
    unsigned long long millijoules = 0;
    const bool counted = device_ != nullptr && energy_ != nullptr && energy_(device_, &millijoules) == 0;
    return counted ? double(millijoules) / 1000 : 0;
  }

  void clear() {
    for (std::vector<double>* values : {&sm_, &memory_, &watts_, &degrees_}) values->clear();
  }

  // Returns the samples since clear() as JSON fields.
  std::string json() const {
    std::string out;
    if (!sm_.empty() && !memory_.empty()) {
      out += ",\"clocks\":{\"smMHz\":" + number(mean(sm_)) + field("smMinMHz", number(minimum(sm_))) +
             field("smMaxMHz", number(maximum(sm_))) + field("memoryMHz", number(mean(memory_))) + "}";
    }
    if (!watts_.empty() && powerLimitW > 0) {
      out += ",\"powerW\":{\"mean\":" + number(mean(watts_)) + field("limit", number(powerLimitW)) + "}";
    }
    if (!degrees_.empty()) {
      out += ",\"temperatureC\":{\"mean\":" + number(mean(degrees_)) + field("max", number(maximum(degrees_))) + "}";
    }
    return out;
  }

  std::string driverVersion;
  double peakSmMHz = 0, powerLimitW = 0;

 private:
  static constexpr int kSm = 1, kMemory = 2;

  static double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / double(values.size());
  }
  static double minimum(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }
  static double maximum(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

  void* device_ = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*energy_)(void*, unsigned long long*) = nullptr;
  std::vector<double> sm_, memory_, watts_, degrees_;
};

// Records the advances of the energy counter on a thread, while the GPU works. The counter advances in steps, so that
// power is the slope between two advances and not between two readings.
class EnergyLog {
 public:
  explicit EnergyLog(const Sensors& sensors)
      : sensors_(sensors), began_(std::chrono::steady_clock::now()), thread_([this] { read(); }) {}
  EnergyLog(const EnergyLog&) = delete;
  ~EnergyLog() { stop(); }

  double ms() const { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began_).count(); }

  void stop() {
    ended_ = true;
    if (thread_.joinable()) thread_.join();
  }

  struct Power {
    double watts = 0, windowMs = 0;
    int advances = 0;
  };

  // Returns the mean power between the first and the last advance within an interval. Call stop() first.
  Power power(double fromMs, double toMs) const {
    const Advance *first = nullptr, *last = nullptr;
    Power out;
    for (const Advance& each : advances_) {
      if (each.ms < fromMs || each.ms > toMs) continue;
      if (first == nullptr) first = &each;
      else ++out.advances;
      last = &each;
    }
    if (out.advances == 0) return out;
    out.windowMs = last->ms - first->ms;
    out.watts = 1000 * (last->joules - first->joules) / out.windowMs;
    return out;
  }

 private:
  struct Advance {
    double ms, joules;
  };

  void read() {
    double known = sensors_.joules();
    while (!ended_) {
      const double joules = sensors_.joules();
      if (joules > known) advances_.push_back({ms(), joules});
      known = joules;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const Sensors& sensors_;
  std::chrono::steady_clock::time_point began_;
  std::vector<Advance> advances_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

// Mean power of the GPU since construction, in watts.
class EnergyCount {
 public:
  explicit EnergyCount(const Sensors* sensors)
      : sensors_(sensors), joules_(sensors == nullptr ? 0 : sensors->joules()), began_(std::chrono::steady_clock::now()) {}

  // Returns 0 if the energy is not counted.
  double watts() const {
    if (joules_ == 0) return 0;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
    return (sensors_->joules() - joules_) / seconds.count();
  }

 private:
  const Sensors* sensors_;
  double joules_;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace harness
