// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/units/error.hpp"
#include "sim/workload/synthetic/entry_of.hpp"
#include "sim/workload/synthetic/prompt_keys.hpp"
#include "sim/workload/synthetic/request_stream.hpp"

namespace vacancy {

namespace {

class Rag final : public RequestStream {
 public:
  struct Options : StreamOptions, OutputOptions {
    std::uint32_t system_tokens = 200;
    std::uint32_t documents = 1000;
    double popularity = 0.8;
    std::uint32_t retrieved = 4;
    double document_median = 600, document_sigma = 0.5;
    std::uint32_t document_max = 4096;
    double question_median = 40, question_sigma = 0.6;
    std::uint32_t question_max = 1024;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = [] {
      OptionTable<Options> t;
      add_stream_options(t, "requests");
      t.add("system_tokens", &Options::system_tokens, "tokens", {0, longest_made},
            "Instructions that all prompts begin with.")
          .add("documents", &Options::documents, "documents", {1, 1'000'000},
               "Documents that can be retrieved.")
          .add("popularity", &Options::popularity, "", {0, 5},
               "Exponent of the law by which the n-th document is retrieved, 1 / n^popularity.")
          .add("retrieved", &Options::retrieved, "documents", {1, 256},
               "Different documents in a prompt, in the order in which they are drawn: what two "
               "prompts share ends at the first that differs.")
          .add("document_median", &Options::document_median, "tokens", {1, longest_made},
               "Half of the documents are shorter; they are lognormal, each of one length.")
          .add("document_sigma", &Options::document_sigma, "", {0, 10},
               "Standard deviation of the natural logarithm of a document's length.")
          .add("document_max", &Options::document_max, "tokens", {1, 1 << 20},
               "The longest document.")
          .add("question_median", &Options::question_median, "tokens", {1, longest_made},
               "Half of the questions behind the documents are shorter; they are lognormal.")
          .add("question_sigma", &Options::question_sigma, "", {0, 10},
               "Standard deviation of the natural logarithm of a question's length.")
          .add("question_max", &Options::question_max, "tokens", {1, longest_made},
               "The longest question.");
      add_output_options(t);
      return t;
    }();
    return table;
  }

  Rag(const Options& options, std::uint64_t seed)
      : RequestStream("rag", options, seed),
        options_(options),
        ranks_(options.documents, options.popularity) {
    if (options.retrieved > options.documents)
      throw UserError("retrieved " + std::to_string(options.retrieved) + " exceeds documents " +
                      std::to_string(options.documents) + "; a prompt has each once.");
  }

 private:
  void fill(std::uint32_t number, TraceRequest& request) const override {
    PromptKeys prompt(options_.block_size, request.block_keys);
    prompt.add(ContentKind::system, 0, 0, options_.system_tokens);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < options_.retrieved; ++i) {
      std::uint32_t document = ranks_.rank(draws().uniform(number, i, DrawPurpose::document));
      // One that is there already gives way to the next that is not.
      while (std::find(chosen.begin(), chosen.end(), document) != chosen.end())
        document = (document + 1) % options_.documents;
      chosen.push_back(document);
      prompt.add(ContentKind::document, document, 0,
                 draws().tokens(options_.document_median, options_.document_sigma,
                                options_.document_max, document, 0, DrawPurpose::document_length));
    }
    prompt.add(ContentKind::request, number, 0,
               draws().tokens(options_.question_median, options_.question_sigma,
                              options_.question_max, number, 0, DrawPurpose::prompt));
    request.prompt_tokens = prompt.tokens();
    request.output_tokens = output_tokens(options_, number);
  }

  Options options_;
  Zipf ranks_;
};

}  // namespace

SyntheticEntry rag_entry() {
  return entry_of<Rag>("rag", "Questions behind retrieved documents, of which some are popular.");
}

}  // namespace vacancy
