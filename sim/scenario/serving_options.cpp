// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/serving_options.hpp"

#include "sim/pool/sequence_ids.hpp"

namespace vacancy {

const OptionTable<EngineOptions>& engine_table() {
  static const auto table =
      OptionTable<EngineOptions>()
          .add("full_sequence_gate", &EngineOptions::full_sequence_gate, "", {},
               "Whether an admission must find room for the request's whole sequence so far; by "
               "default the profile's own.")
          .add("reserve_output", &EngineOptions::reserve_output, "", {},
               "Whether an admission also reserves blocks for the request's whole output, so that "
               "nothing is preempted (no vLLM does); by default the profile's own.")
          .add("watermark_blocks", &EngineOptions::watermark_blocks, "blocks", {},
               "Blocks that an admission leaves free while another request runs; by default the "
               "profile's own.")
          .add("free_order", &EngineOptions::free_order, "", {},
               "Where freed blocks join the free queue: all at the back with a table's tail first, "
               "the same with its head first (no engine does), or those without cached contents at "
               "the front; by default the profile's own.")
          .add("hybrid_groups", &EngineOptions::hybrid_groups, "", {},
               "vLLM: whether sliding-window layers of a model have block tables of their own, "
               "which let go of what left the window; else they are held at full length. By "
               "default the profile's own.")
          .add("steps_in_flight", &EngineOptions::steps_in_flight, "steps", {1, 2},
               "2: the next step is composed while the present one runs; by default the profile's "
               "own.")
          .add("lookup_after_preemption", &EngineOptions::lookup_after_preemption, "", {},
               "Whether a preempted request looks for its own blocks when it is admitted again; by "
               "default the profile's own.")
          .add("capacity_policy", &EngineOptions::capacity_policy, "", {},
               "TensorRT-LLM: what an admission asks for: room for the whole output of all that "
               "run, for its prompt alone (others may have to pause), or the first and that "
               "nothing decodes; by default the profile's own.")
          .add("max_sequence_tokens", &EngineOptions::max_sequence_tokens, "tokens", {1, 1u << 31},
               "The longest sequence, prompt and output, that the engine serves; by default the "
               "profile's own, which most leave open.")
          .add("host_blocks", &EngineOptions::host_blocks, "blocks", {0, 1u << 26},
               "Room in host memory for what the prefix cache holds or evicts, in vLLM, SGLang and "
               "TensorRT-LLM. "
               "Lookups find it there, and a step waits until it is copied back; by default the "
               "profile's own, which is 0: none.")
          .add(
              "host_replacement", &EngineOptions::host_replacement, "", {},
              "vLLM: which copies go first there: lru, or arc, which keeps what was used twice; by "
              "default lru.")
          .add("host_write", &EngineOptions::host_write, "", {},
               "SGLang: when a node is copied to the host: at its first insertion, at its second, "
               "or when the pool evicts it; by default the profile's own.")
          .add("host_load_threshold", &EngineOptions::host_load_threshold, "tokens", {},
               "SGLang: fewer tokens found on the host are computed again instead of loaded; by "
               "default the profile's own.");
  return table;
}

const OptionTable<PrefixOptions>& prefix_table() {
  static const auto table =
      OptionTable<PrefixOptions>()
          .add("index", &PrefixOptions::index, "", {},
               "How blocks of earlier requests are found: the engine's own index (the default), or "
               "none: every prompt is computed whole.")
          .add("replacement", &PrefixOptions::replacement, "", {},
               "Which cached contents go first. lru is every engine's own order; a profile of "
               "vLLM can have any but belady, SGLang's some, TensorRT-LLM's no other.")
          .add("tenant_quota_blocks", &PrefixOptions::tenant_quota_blocks, "blocks", {},
               "Cached blocks in no request's use that one tenant (salt, LoRA) may have, for vLLM "
               "and block_replay; a tenant with more evicts its own first. 0: any number.")
          .add("pinned_requests", &PrefixOptions::pinned_requests, "", {},
               "Requests, numbered from 0 in the order of the workload, whose prompts stay cached "
               "from the end of the request to the end of the run, whatever the replacement: "
               "\"0-3,17\". For vLLM, SGLang and block_replay.")
          .add("pinned_tokens", &PrefixOptions::pinned_tokens, "tokens", {1, 1u << 30},
               "How many leading tokens of these prompts stay, in whole blocks; null: all.")
          .add("count", &PrefixOptions::count, "", {},
               "block_replay: every cached block of a request is a hit, or the leading ones only.")
          .add("touch", &PrefixOptions::touch, "", {},
               "block_replay: the order in which a request uses its blocks.")
          .add("partial_blocks", &PrefixOptions::partial_blocks, "", {},
               "block_replay: whether a partial last block of a prompt counts.");
  return table;
}

const OptionTable<ServingOptions>& serving_table() {
  static const auto table =
      OptionTable<ServingOptions>()
          .add("scheduler", &ServingOptions::scheduler, "", {},
               "What drives the requests: the engine's continuous batching, a window of active "
               "requests without a clock, the blocks of their prompts through a bare cache "
               "(block_replay, without an engine), or all sequences in lockstep; by default "
               "continuous batching where a profile is named, else lockstep.")
          .add("max_num_seqs", &ServingOptions::max_num_seqs, "requests", {1, 1'000'000},
               "Requests that run at a time; one in beam search counts as many as its width.")
          .add("max_num_batched_tokens", &ServingOptions::max_num_batched_tokens, "tokens",
               {1, 1'000'000'000}, "Tokens that one step computes.")
          .add(
              "chunked_prefill", &ServingOptions::chunked_prefill, "", {},
              "Whether a prompt may be spread over steps. If not, it waits for a step with room "
              "for all of it, and one that is longer than max_num_batched_tokens has a step of its "
              "own, beyond that limit.")
          .add("policy", &ServingOptions::policy, "", {},
               "Who is admitted first: first come, or priority, which is also preempted last. "
               "With a profile of SGLang also its other orders of the queue: longest cached prefix "
               "first (lpm; as they stand while more than 128 wait), by branches of the radix tree "
               "that most wait for (dfs-weight), longest output first (lof), random.")
          .add(
              "requeue", &ServingOptions::requeue, "", {},
              "Where a preempted request waits: in front of the others, or behind them; by default "
              "the profile's own. The policy priority has places of its own.")
          .add("victim", &ServingOptions::victim, "", {},
               "Which running request is preempted; null: as the policy has it, the newest or the "
               "lowest priority.")
          .add("preemption", &ServingOptions::preemption, "", {},
               "Whether a preempted request computes its tokens again, as today's engines do, or "
               "its blocks are copied to the host and back.")
          .add("swap_blocks", &ServingOptions::swap_blocks, "blocks", {0, 1u << 31},
               "Room on the host for preempted requests; null: as many as the pool has. A request "
               "that finds too little of it is computed again.")
          .add("pass_keeps_place", &ServingOptions::pass_keeps_place, "", {},
               "When a request is preempted that this step has scheduled already, whether the next "
               "one still gets its turn in this step; in vLLM it does.")
          .add("admit_after_preemption", &ServingOptions::admit_after_preemption, "", {},
               "Whether a step that preempted may admit; in vLLM it does not.")
          .add("keep_in_flight_token", &ServingOptions::keep_in_flight_token, "", {},
               "Two steps in flight: whether a preempted request keeps the token that is being "
               "computed, as in vLLM.")
          .add("run_past_end", &ServingOptions::run_past_end, "", {},
               "Two steps in flight: whether a request whose last token is being computed runs "
               "once more, in vain; in vLLM it does not.")
          .add("window", &ServingOptions::window, "requests", {1, 1'000'000},
               "Active requests, for the scheduler active_window.")
          .add("max_virtual_time", &ServingOptions::max_virtual_time, "seconds", {0, 1e9},
               "The run stops here and says so; null: no cap.")
          .add("cold_start", &ServingOptions::cold_start, "seconds", {0, 1e6},
               "So long launching its first step holds up the engine; null: as the device says, "
               "else "
               "0.")
          .add("max_fruitless_preemptions", &ServingOptions::max_fruitless_preemptions, "times",
               {1, 1e9},
               "The run stops when a request was preempted more often between two of its tokens.");
  return table;
}

const OptionTable<TraceSectionOptions>& trace_table() {
  static const auto table =
      OptionTable<TraceSectionOptions>()
          .add("path", &TraceSectionOptions::path, "", {}, "The file, plain or gzip.")
          .add("format", &TraceSectionOptions::format, "", {},
               "Its format; detect: told from the contents.")
          .add("limit", &TraceSectionOptions::limit, "requests", {1, {}},
               "Only so many first requests; null: all.")
          .add("block_size", &TraceSectionOptions::block_size, "tokens", {1, 1 << 20},
               "Tokens that one key of the trace stands for; null: the format's own.")
          .add("nested_time", &TraceSectionOptions::nested_time, "", {},
               "Times of nested requests (Claude Code): as written, or counted from their entry's "
               "start.")
          .add("measured_run", &TraceSectionOptions::measured_run, "", {},
               "Folder of a run log of this trace, whose measured arrivals replace the trace's.")
          .add("measured_arrival", &TraceSectionOptions::measured_arrival, "", {},
               "Which stamp of the run log counts as the arrival: the client's, or when the engine "
               "queued the request, which its own steps delay.");
  return table;
}

const OptionTable<RequestOptions>& request_table() {
  static const auto table =
      OptionTable<RequestOptions>()
          .add("source", &RequestOptions::source, "", {},
               "For an engine: the requests of a trace, or made ones.")
          .add("arrivals", &RequestOptions::arrivals, "", {},
               "When requests arrive: at the source's own times, in a closed loop, or drawn anew "
               "(poisson, gamma).")
          .add("concurrency", &RequestOptions::concurrency, "requests", {1, 1e9},
               "closed_loop: requests that wait or run at a time; null: all from the start.")
          .add("rate", &RequestOptions::rate, "1/s", {1e-6, 1e6},
               "poisson and gamma: mean arrivals a second.")
          .add("burstiness", &RequestOptions::burstiness, "", {0, 100},
               "gamma: coefficient of variation of the times between arrivals; 1 is Poisson, 0 is "
               "regular.")
          .add("samples", &RequestOptions::samples, "", {1, 1000},
               "Parallel sampling: outputs that each request asks for. So many requests with one "
               "prompt arrive together.");
  return table;
}

const OptionTable<BeamOptions>& beam_table() {
  static const auto table =
      OptionTable<BeamOptions>()
          .add("width", &BeamOptions::width, "", {1, most_candidates},
               "Candidates of each request, from its first output token on; 1: no beam search.")
          .add("branching", &BeamOptions::branching, "", {0, 1},
               "Chance that a candidate of the next step continues one drawn for it, and not the "
               "one of its own number. 0: candidates never branch, as parallel samples; 0.1 saves "
               "about as much as PagedAttention's figure 15 shows.")
          .add("leading", &BeamOptions::leading, "", {0, 1},
               "Chance that the one drawn is the first candidate; else it is any, all alike.");
  return table;
}

}  // namespace vacancy
