// SPDX-License-Identifier: Apache-2.0
// Pages that copies share until they write, and the free queue made of them, against plain vectors.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <thread>
#include <vector>

#include "gui/model/replica_queue.hpp"
#include "gui/model/shared_pages.hpp"
#include "gui/model/writer_number.hpp"

using namespace vacancy::gui;

namespace {

using Page = std::array<int, 4>;
using Plain = std::vector<Page>;

/// Pages beside what each of their copies has to be.
struct Copy {
  SharedPages<Page> pages;
  Plain plain;
  std::uint64_t writer = new_writer_number();

  bool right() const {
    bool same = pages.size() == plain.size();
    for (std::size_t i = 0; same && i < plain.size(); ++i)
      same = pages[i] == plain[i];
    return same;
  }
};

std::size_t other_pages(const SharedPages<Page>& a, const SharedPages<Page>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.pages()[i] != b.pages()[i]) ++count;
  return count;
}

std::vector<std::uint32_t> listed(const ReplicaQueue& queue) {
  std::vector<std::uint32_t> forward, backward;
  for (std::uint32_t b = queue.front(); b != ReplicaQueue::none; b = queue.next(b))
    forward.push_back(b);
  for (std::uint32_t b = queue.back(); b != ReplicaQueue::none; b = queue.previous(b))
    backward.push_back(b);
  std::reverse(backward.begin(), backward.end());
  REQUIRE(forward == backward);
  return forward;
}

}  // namespace

TEST_CASE("copies of shared pages are values", "[pages]") {
  std::mt19937 engine(4);
  const auto draw = [&](std::size_t below) { return engine() % below; };
  std::vector<Copy> copies(5);
  for (int i = 0; i < 20'000; ++i) {
    Copy& copy = copies[draw(copies.size())];
    switch (draw(8)) {
      case 0: {
        const Copy& from = copies[draw(copies.size())];
        copy.pages = from.pages;
        copy.plain = from.plain;
        for (Copy* either : {&copies[static_cast<std::size_t>(&from - copies.data())], &copy})
          either->writer = new_writer_number();
        break;
      }
      case 1: {
        const std::size_t size = draw(40);
        const auto fill = std::make_shared<const Page>(Page{i, i, i, i});
        copy.pages.resize(size, fill);
        copy.plain.resize(size, *fill);
        break;
      }
      default:
        if (copy.plain.empty()) break;
        const std::size_t page = draw(copy.plain.size()), at = draw(4);
        copy.pages.own(page, copy.writer)[at] = copy.plain[page][at] = i;
    }
    const bool all_right =
        std::all_of(copies.begin(), copies.end(), [](const Copy& c) { return c.right(); });
    REQUIRE(all_right);
  }
}

TEST_CASE("a write copies the page that it goes to, once", "[pages]") {
  Copy copy;
  copy.pages.resize(100, std::make_shared<const Page>());
  CHECK(copy.pages.beside(nullptr) == 1);  // all of them are one
  const SharedPages<Page> before = copy.pages;
  copy.writer = new_writer_number();
  CHECK(copy.pages.beside(&before) == 0);
  for (int i = 0; i < 3; ++i)
    copy.pages.own(7, copy.writer)[0] = copy.pages.own(60, copy.writer)[1] = i;
  CHECK(other_pages(copy.pages, before) == 2);
  CHECK(copy.pages.beside(&before) == 2);
  CHECK(copy.pages.beside(nullptr) == 5);  // two, and the stretches of one between them
  const Page* const own = &copy.pages[7];
  CHECK(&copy.pages.own(7, copy.writer) == own);
}

TEST_CASE("threads copy the same pages and write their copies", "[pages]") {
  SharedPages<Page> frozen;
  frozen.resize(64, std::make_shared<const Page>(Page{1, 2, 3, 4}));
  std::array<std::thread, 4> threads;
  std::array<int, 4> sums{};
  for (std::size_t t = 0; t < threads.size(); ++t)
    threads[t] = std::thread([&frozen, &sum = sums[t]] {
      for (std::size_t i = 0; i < 2'000; ++i) {
        SharedPages<Page> copy = frozen;
        copy.own(i % copy.size(), new_writer_number())[0] = 0;
        sum += copy[i % copy.size()][3] - frozen[i % frozen.size()][0];
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const int sum : sums)
    CHECK(sum == 3 * 2'000);
}

TEST_CASE("the free queue is a list of ids", "[pages]") {
  std::mt19937 engine(9);
  const auto draw = [&](std::size_t below) { return static_cast<std::uint32_t>(engine() % below); };
  for (std::uint32_t blocks : {0U, 1U, 511U, 512U, 1300U}) {
    CAPTURE(blocks);
    std::uint64_t writer = new_writer_number();
    ReplicaQueue queue = ReplicaQueue::of_all(blocks, writer);
    std::vector<std::uint32_t> plain(blocks);
    for (std::uint32_t i = 0; i < blocks; ++i)
      plain[i] = i;
    CHECK(listed(queue) == plain);
    for (int round = 0; round < 40; ++round) {
      const ReplicaQueue before = queue;
      const std::vector<std::uint32_t> plain_before = plain;
      writer = new_writer_number();
      if (round % 8 == 0) queue.resize(blocks += draw(700));
      for (int i = 0; i < 50 && blocks > 0; ++i) {
        const std::uint32_t block = draw(blocks);
        const auto place = std::find(plain.begin(), plain.end(), block);
        REQUIRE(queue.contains(block) == (place != plain.end()));
        if (place != plain.end()) {
          queue.remove(block, writer);
          plain.erase(place);
        } else if (const std::size_t at = draw(plain.size() + 1); at == 0) {
          queue.insert_after(ReplicaQueue::none, block, writer);
          plain.insert(plain.begin(), block);
        } else {
          queue.insert_after(plain[at - 1], block, writer);
          plain.insert(plain.begin() + static_cast<std::ptrdiff_t>(at), block);
        }
      }
      REQUIRE(listed(queue) == plain);
      REQUIRE(queue.size() == plain.size());
      REQUIRE(listed(before) == plain_before);
    }
  }
}
