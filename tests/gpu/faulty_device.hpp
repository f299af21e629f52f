// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gpu_backend/launch/device.hpp"

namespace vacancy::test {

/// Has another device run one operation after the other.
template <class Base, class... Operation>
class RunElsewhere;
template <class Base>
class RunElsewhere<Base> : public Base {
 public:
  explicit RunElsewhere(gpu::Device& device) : device_(device) {}

 protected:
  gpu::Device& device_;
};
template <class Base, class First, class... Rest>
class RunElsewhere<Base, First, Rest...> : public RunElsewhere<Base, Rest...> {
 public:
  using RunElsewhere<Base, Rest...>::RunElsewhere;
  using RunElsewhere<Base, Rest...>::run;
  void run(const First& operation, gpu::Stream stream) override {
    this->device_.run(operation, stream);
  }
};
template <class... Operation>
RunElsewhere<gpu::Device, Operation...> run_elsewhere(const gpu::RunsAll<Operation...>*);

/// Does what another device does, but for one kind of operation: `spoil` is called after each, may
/// change what it wrote, and says whether it did.
template <class Operation>
class FaultyDevice final
    : public decltype(run_elsewhere(static_cast<const gpu::RunsOperations*>(nullptr))) {
  using Base = decltype(run_elsewhere(static_cast<const gpu::RunsOperations*>(nullptr)));

 public:
  using Spoil = std::function<bool(gpu::Device&, const Operation&)>;

  FaultyDevice(gpu::Device& device, Spoil spoil, bool& planted)
      : Base(device), spoil_(std::move(spoil)), planted_(planted) {}

  using Base::run;
  void run(const Operation& operation, gpu::Stream stream) override {
    this->device_.run(operation, stream);
    if (spoil_(this->device_, operation)) planted_ = true;
  }

  std::string name() const override { return this->device_.name(); }
  void* allocate(std::size_t bytes) override { return this->device_.allocate(bytes); }
  void release(void* memory) noexcept override { this->device_.release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override {
    this->device_.upload(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes) override {
    this->device_.download(to, from, bytes);
  }
  void copy(void* to, const void* from, std::size_t bytes, gpu::Stream stream) override {
    this->device_.copy(to, from, bytes, stream);
  }
  void synchronize() override { this->device_.synchronize(); }
  double timed(const std::function<void()>& work) override { return this->device_.timed(work); }

 private:
  Spoil spoil_;
  bool& planted_;
};

}  // namespace vacancy::test
