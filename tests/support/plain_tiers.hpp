// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "sim/prefix/radix/radix_tree.hpp"

namespace vacancy::test {

using Tokens = std::vector<std::uint32_t>;

/// A radix tree with a host tier as spec engines S2 to S8 and S14 say it, token by token, looking
/// at every node for every victim.
class PlainTiers {
 public:
  PlainTiers(std::uint32_t page, RadixPolicy policy, const HostTierOptions& host)
      : page_(page), policy_(policy), host_(host) {
    root_.device = true;
  }

  struct Found {
    std::uint32_t device = 0, host = 0;
  };
  Found match(Tokens key) {
    Found found;
    whole_pages(key);
    if (key.empty()) return found;
    const std::uint64_t time = tick();
    for (Node* node = &root_; !key.empty();) {
      Node* child = child_of(*node, key);
      if (child == nullptr) break;
      child->access = time;
      const std::uint32_t common = common_pages(*child, key);
      const bool ends = common < child->tokens.size();
      node = ends ? split(*child, common) : child;
      (node->device ? found.device : found.host) += common;
      key.erase(key.begin(), key.begin() + common);
      last_ = node;
      if (ends) break;
    }
    return found;
  }
  /// Room on the device is the caller's care.
  void insert(Tokens key, bool chunked) {
    const std::uint64_t time = tick();
    whole_pages(key);
    Node* node = &root_;
    std::vector<Node*> path;
    while (!key.empty()) {
      Node* child = child_of(*node, key);
      if (child == nullptr) break;
      child->access = time;
      const std::uint32_t common = common_pages(*child, key);
      node = common < child->tokens.size() ? split(*child, common) : child;
      node->device = true;
      node->hits += !chunked;
      path.push_back(node);
      key.erase(key.begin(), key.begin() + common);
    }
    if (!key.empty()) {
      path.push_back(add(*node, key));
      path.back()->device = true;
      path.back()->hits = !chunked;
    }
    const std::uint32_t due = host_.write == HostWrite::write_through ? 1 : 2;
    if (host_.write != HostWrite::write_back && !chunked)
      for (Node* each : path)
        if (each->hits >= due) copy(*each);
  }
  std::uint64_t evict(std::uint64_t tokens) {
    std::uint64_t evicted = 0;
    while (evicted < tokens) {
      Node* victim = first([](const Node& node) {
        return node.device && node.locks == 0 &&
               std::none_of(node.children.begin(), node.children.end(),
                            [](const auto& child) { return child->device; });
      });
      if (victim == nullptr) break;
      evicted += victim->tokens.size();
      if (host_.write == HostWrite::write_back) copy(*victim);
      victim->device = false;
      if (!victim->host) remove(*victim);
    }
    return evicted;
  }
  /// What a match that was just made found on the host goes to the device.
  void load_last() {
    for (Node* node = last_; !node->device; node = node->parent)
      node->device = true;
  }
  void hold_last(bool held) { held_ = held ? last_ : nullptr; }
  void lock(const Tokens& path, int by) {
    Node* node = &root_;
    for (std::size_t done = 0; done < path.size(); done += node->tokens.size()) {
      node = child_of(*node, {path.begin() + static_cast<std::ptrdiff_t>(done), path.end()});
      node->locks += by;
    }
  }

  std::uint64_t device_tokens() const { return sum(root_, &Node::device); }
  std::uint64_t host_tokens() const { return sum(root_, &Node::host); }

  using Facts = std::tuple<Tokens, bool, bool, std::uint32_t, int, std::uint64_t, std::uint64_t>;
  /// The nodes below the root, depth first.
  std::vector<Facts> facts() const {
    std::vector<Facts> all;
    collect(root_, all);
    return all;
  }

 private:
  struct Node {
    Tokens tokens;
    bool device = false, host = false;
    std::uint32_t hits = 0;
    int locks = 0;
    std::uint64_t access = 0, created = 0;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
  };

  std::uint64_t tick() { return ++clock_; }
  void whole_pages(Tokens& key) const { key.resize(key.size() - key.size() % page_); }
  Node* child_of(const Node& node, const Tokens& key) const {
    for (const auto& child : node.children)
      if (key.size() >= page_ &&
          std::equal(key.begin(), key.begin() + page_, child->tokens.begin()))
        return child.get();
    return nullptr;
  }
  std::uint32_t common_pages(const Node& node, const Tokens& key) const {
    std::uint32_t common = 0;
    while (common < std::min(node.tokens.size(), key.size()) && node.tokens[common] == key[common])
      ++common;
    return common - common % page_;
  }
  Node* add(Node& parent, Tokens tokens) {
    parent.children.push_back(std::make_unique<Node>());
    Node& node = *parent.children.back();
    node.tokens = std::move(tokens);
    node.parent = &parent;
    node.access = tick();
    node.created = tick();
    return &node;
  }
  Node* split(Node& lower, std::uint32_t head) {
    Node& parent = *lower.parent;
    auto upper = std::make_unique<Node>();
    upper->tokens.assign(lower.tokens.begin(), lower.tokens.begin() + head);
    lower.tokens.erase(lower.tokens.begin(), lower.tokens.begin() + head);
    upper->device = lower.device;
    upper->host = lower.host;
    upper->hits = lower.hits;
    upper->locks = lower.locks;
    upper->access = tick();
    upper->created = tick();
    upper->parent = &parent;
    Node* result = upper.get();
    for (auto& child : parent.children)
      if (child.get() == &lower) {
        std::swap(child, upper);
        break;
      }
    lower.parent = result;
    result->children.push_back(std::move(upper));
    return result;
  }
  void remove(Node& node) {
    std::erase_if(node.parent->children, [&](const auto& child) { return child.get() == &node; });
  }
  void copy(Node& node) {
    const std::uint64_t capacity = std::uint64_t{host_.pages} * page_, tokens = node.tokens.size();
    if (node.host || tokens > capacity) return;
    if (host_tokens() + tokens > capacity)
      for (std::uint64_t gone = 0; gone < tokens;) {
        Node* victim = first([&](const Node& each) {
          return !each.device && each.children.empty() && &each != held_;
        });
        if (victim == nullptr) break;
        gone += victim->tokens.size();
        remove(*victim);
      }
    node.host = host_tokens() + tokens <= capacity;
  }
  auto rank(const Node& node) const {
    std::uint64_t first = 0;
    if (policy_ == RadixPolicy::lfu) first = node.hits;
    if (policy_ == RadixPolicy::slru) first = node.hits >= 2;
    if (policy_ == RadixPolicy::fifo) first = node.created;
    return std::tuple(first, node.access, node.created);
  }
  template <class May>
  Node* first(May&& may) {
    Node* best = nullptr;
    std::vector<Node*> open = {&root_};
    while (!open.empty()) {
      Node* node = open.back();
      open.pop_back();
      for (const auto& child : node->children)
        open.push_back(child.get());
      if (node != &root_ && may(*node) && (best == nullptr || rank(*node) < rank(*best)))
        best = node;
    }
    return best;
  }
  std::uint64_t sum(const Node& node, bool Node::*where) const {
    std::uint64_t tokens = node.*where ? node.tokens.size() : 0;
    for (const auto& child : node.children)
      tokens += sum(*child, where);
    return tokens;
  }
  void collect(const Node& node, std::vector<Facts>& all) const {
    for (const auto& child : node.children) {
      all.emplace_back(child->tokens, child->device, child->host, child->hits, child->locks,
                       child->access, child->created);
      collect(*child, all);
    }
  }

  std::uint32_t page_;
  RadixPolicy policy_;
  std::uint64_t clock_ = 2;  // the root's times are 1 and 2
  HostTierOptions host_;
  Node root_;
  Node* last_ = &root_;
  const Node* held_ = nullptr;
};

}  // namespace vacancy::test
