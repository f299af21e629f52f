// SPDX-License-Identifier: Apache-2.0
#include "sim/serving/vllm/beam_manager.hpp"

#include <algorithm>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

BeamManager::BeamManager(HashChainOptions options, Bytes block_bytes, const BeamParents& parents,
                         Observer& observer)
    : HashChainManager(std::move(options), block_bytes, observer), parents_(parents) {
  VACANCY_ASSERT(this->options().groups.size() == 1 && !this->options().reserve_output,
                 "candidates have one table each, and take blocks as they need them");
}

bool BeamManager::admit(const Request& request, std::uint32_t known, std::uint32_t count,
                        bool others_run) {
  BeamGroup* const own = group(request);
  if (!own) return HashChainManager::admit(request, known, count, others_run);
  const std::uint32_t hit = hit_tokens(), end = hit + count;
  if (!fits(request, known, count, others_run,
            {own->blocks_beside(hit, known), own->blocks_beside(hit, end)}))
    return false;
  const std::uint32_t together = std::min(end, own->common());
  take(request, request.prompt_tokens, together - hit);
  own->grow(*cache(), together, end);
  return true;
}

bool BeamManager::extend(const Request& request, std::uint32_t computed, std::uint32_t count,
                         std::uint32_t known) {
  BeamGroup* const own = group(request);
  if (!own) return HashChainManager::extend(request, computed, count, known);
  const std::uint32_t end = computed + count, block_size = options().block_size;
  const auto entries = [&](std::uint64_t tokens) { return (tokens + block_size - 1) / block_size; };
  if (entries(end) - entries(computed) + own->blocks_beside(computed, end) > free_blocks())
    return false;
  const std::uint32_t together = std::clamp(own->common(), computed, end);
  const bool extended =
      HashChainManager::extend(request, computed, together - computed, request.prompt_tokens);
  VACANCY_ASSERT(extended, "a group that grows finds its blocks");
  own->grow(*cache(), together, end);
  return true;
}

void BeamManager::produced(const Request& request, std::uint32_t known) {
  const std::uint32_t outputs = known - request.prompt_tokens;
  if (outputs == request.output_tokens) return;  // it ends now
  if (BeamGroup* const own = group(request)) {
    chosen_.clear();
    for (std::uint32_t candidate = 0; candidate < parents_.width(); ++candidate)
      chosen_.push_back(parents_.parent(request.id.value(), outputs, candidate));
    own->select(*cache(), chosen_, known - 1);
    return;
  }
  if (groups_.size() <= request.id.value()) groups_.resize(request.id.value() + 1);
  groups_[request.id.value()] =
      std::make_unique<BeamGroup>(*cache(), request.id, parents_.width(), known - 1);
}

void BeamManager::preempt(const Request& request) {
  if (BeamGroup* const own = group(request)) own->leave(*cache(), FreeCause::preemption);
  HashChainManager::preempt(request);
}

void BeamManager::finish(const Request& request) {
  if (BeamGroup* const own = group(request)) {
    own->leave(*cache(), FreeCause::sequence_end);
    groups_[request.id.value()].reset();
  }
  HashChainManager::finish(request);
}

std::uint32_t BeamManager::stored_blocks(const Request& request, std::uint32_t computed) const {
  const BeamGroup* const own = group(request);
  return HashChainManager::stored_blocks(request, computed) +
         (own ? static_cast<std::uint32_t>(own->blocks_beside(0, computed)) : 0);
}

std::span<const std::uint32_t> BeamManager::candidate_starts(const Request& request) const {
  const BeamGroup* const own = group(request);
  return own ? own->starts() : HashChainManager::candidate_starts(request);
}

}  // namespace vacancy
