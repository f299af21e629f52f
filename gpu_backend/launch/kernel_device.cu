// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/launch/device.hpp"
#if !VACANCY_SIMT_CUDA
#include "gpu_backend/simt/host/executor.hpp"
#include "gpu_backend/simt/host/memory.hpp"
#endif

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

/// Base with run() for one operation after the other.
template <class Base, class... Operation>
class Implements;
template <class Base>
class Implements<Base> : public Base {};
template <class Base, class First, class... Rest>
class Implements<Base, First, Rest...> : public Implements<Base, Rest...> {
 public:
  using Implements<Base, Rest...>::run;
  void run(const First& operation, Stream stream) final {
    VACANCY_SIMT_BACKEND::run(operation, stream);
  }
};
template <class... Operation>
Implements<Device, Operation...> implements(const RunsAll<Operation...>*);
using Operations = decltype(implements(static_cast<const RunsOperations*>(nullptr)));

OutOfDeviceMemory out_of_memory(std::size_t bytes) {
  return OutOfDeviceMemory("The device has no " + std::to_string(bytes) + " bytes of memory left.");
}

#if VACANCY_SIMT_CUDA

constexpr int poison = 0xFF;

/// Whether new memory is filled. Throws std::invalid_argument.
bool poisons() {
  const char* const wish = std::getenv("VACANCY_GPU_POISON");
  if (wish == nullptr || std::strcmp(wish, "on") == 0) return true;
  if (std::strcmp(wish, "off") == 0) return false;
  throw std::invalid_argument(std::string("VACANCY_GPU_POISON is \"") + wish +
                              "\": use on or off.");
}
/// The default stream's work has ended. cudaMemset, and cudaMemcpy from pageable memory, may return
/// before; a stream that does not wait for the default one would overtake them.
void finish(const char* what) {
  simt::check(cudaStreamSynchronize(nullptr), what);
}

class Event {
 public:
  Event() { simt::check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }

  void record() { simt::check(cudaEventRecord(event_), "cudaEventRecord"); }
  double seconds_since(const Event& start) const {
    simt::check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    float milliseconds = 0;
    simt::check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return double(milliseconds) / 1e3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class KernelDevice final : public Operations {
 public:
  KernelDevice(std::string name, bool poisons) : name_(std::move(name)), poisons_(poisons) {}

  std::string name() const override { return name_; }
  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
      static_cast<void>(cudaGetLastError());  // not to be taken for a later call's
      throw out_of_memory(bytes);
    }
    simt::check(error, "cudaMalloc");
    if (poisons_) {
      simt::check(cudaMemset(memory, poison, bytes), "cudaMemset");
      finish("cudaMemset");
    }
    return memory;
  }
  void release(void* memory) noexcept override { static_cast<void>(cudaFree(memory)); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    simt::check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "upload");
    finish("upload");
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    simt::check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "download");
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream stream) override {
    simt::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice,
                                static_cast<cudaStream_t>(stream)),
                "copy");
  }
  void synchronize() override { simt::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
  double timed(const std::function<void()>& work) override {
    Event start, end;
    start.record();
    work();
    end.record();
    return end.seconds_since(start);
  }

 private:
  std::string name_;
  bool poisons_;
};

#else

class KernelDevice final : public Operations {
 public:
  std::string name() const override { return "cpu"; }
  void* allocate(std::size_t bytes) override {
    try {
      return simt::host::device_alloc(bytes);
    } catch (const std::bad_alloc&) {
      throw out_of_memory(bytes);
    }
  }
  void release(void* memory) noexcept override { simt::host::device_free(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes, Stream) override {
    std::memcpy(to, from, bytes);
  }
  void synchronize() override {}
  double timed(const std::function<void()>& work) override {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
};

#endif

}  // namespace

std::unique_ptr<Device> make_device(std::string* why_not) {
#if VACANCY_SIMT_CUDA
  int devices = 0;  // left as it is where there is no driver
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices == 0) {
    if (why_not != nullptr)
      *why_not = std::string("There is no CUDA device: ") +
                 (error != cudaSuccess ? cudaGetErrorString(error) : "the driver names none") + ".";
    return nullptr;
  }
  try {
    cudaDeviceProp properties{};
    simt::check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    return std::make_unique<KernelDevice>(properties.name, poisons());
  } catch (const std::exception& error) {
    if (why_not != nullptr) *why_not = error.what();
    return nullptr;
  }
#else
  try {
    simt::host::schedule_options();  // reads the environment
  } catch (const simt::host::KernelError& error) {
    if (why_not != nullptr) *why_not = std::string(error.what()) + ".";
    return nullptr;
  }
  return std::make_unique<KernelDevice>();
#endif
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
