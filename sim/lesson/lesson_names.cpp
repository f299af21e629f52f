// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/lesson/lesson_reader.hpp"
#include "sim/lesson/lesson_text.hpp"
#include "sim/metrics/summary_keys.hpp"
#include "sim/units/suggest.hpp"

namespace vacancy {

namespace {

using FigureKind = LessonFigure::Kind;

/// Follows the lesson from step to step with what its reader has been shown.
class NameChecker {
 public:
  NameChecker(const JsonNode& root, const Lesson& lesson, const Glossary& glossary,
              Diagnostics& faults)
      : root_(root), lesson_(lesson), glossary_(glossary), faults_(faults) {}

  void check() {
    for (const auto& [name, figure] : lesson_.figures)
      check_figure("/figures/" + name, name, figure);
    plain("/title", lesson_.title);
    plain("/goal", lesson_.goal);
    for (std::size_t i = 0; i < lesson_.steps.size(); ++i)
      check_step(child_pointer("/steps", i), lesson_.steps[i]);
  }

 private:
  void fault(const std::string& pointer, std::string sentence) {
    faults_.add(place_of(root_, pointer), pointer, std::move(sentence));
  }

  void need_run(const std::string& pointer, const std::string& name) {
    if (lesson_.runs.contains(name)) return;
    std::vector<std::string> names;
    for (const auto& [each, settings] : lesson_.runs)
      names.push_back(each);
    fault(pointer, in_quotes(name) + " is no run of this lesson." + did_you_mean(name, names));
  }

  bool need_figure(const std::string& pointer, const std::string& name) {
    if (name.empty() || lesson_.figures.contains(name)) return !name.empty();
    std::vector<std::string> names;
    for (const auto& [each, figure] : lesson_.figures)
      names.push_back(each);
    fault(pointer, in_quotes(name) + " is no figure of this lesson." + did_you_mean(name, names));
    return false;
  }

  void check_figure(const std::string& pointer, const std::string& name,
                    const LessonFigure& figure) {
    plain(pointer + "/title", figure.title);
    if (figure.kind != FigureKind::value) need_run(pointer, figure.run);
    if (figure.kind == FigureKind::summary) {
      std::vector<std::string_view> keys;
      for (const SummaryKey& each : summary_keys())
        keys.push_back(each.key);
      if (std::find(keys.begin(), keys.end(), figure.key) == keys.end())
        fault(pointer + "/summary", in_quotes(figure.key) + " is no figure of a summary." +
                                        did_you_mean(figure.key, keys) +
                                        " docs/formats/summary.md lists them.");
    }
    if (!figure.value) return;
    for (const std::string& part : figure.value->names())
      need_figure(pointer + "/value", part);
    std::set<std::string> way;
    if (circular(name, way))
      fault(pointer + "/value", "the figure is made from itself; break the circle.");
  }

  /// An axis says what is on it.
  void need_title(const std::string& pointer, const std::string& name) {
    if (lesson_.figure(name).title.empty())
      fault(pointer, "{" + name +
                         "} stands on an axis, which needs its words: give the figure a \"title\" "
                         "with its unit, such as \"Blocks that come back\".");
  }

  bool circular(const std::string& name, std::set<std::string>& way) const {
    const auto found = lesson_.figures.find(name);
    if (found == lesson_.figures.end() || !found->second.value) return false;
    if (!way.insert(name).second) return true;
    for (const std::string& part : found->second.value->names())
      if (circular(part, way)) return true;
    way.erase(name);
    return false;
  }

  /// Whether somebody at this step knows the figure.
  bool known(const std::string& name) const {
    const auto found = lesson_.figures.find(name);
    if (found == lesson_.figures.end() || told_.contains(name)) return true;
    const LessonFigure& figure = found->second;
    if (figure.kind == FigureKind::setting) return true;
    if (figure.kind == FigureKind::count)
      return std::find(seen_.begin(), seen_.end(), figure.state) != seen_.end();
    if (figure.kind == FigureKind::summary || !figure.value) return false;
    const auto& parts = figure.value->names();
    return std::all_of(parts.begin(), parts.end(),
                       [&](const std::string& part) { return known(part); });
  }

  /// A figure's names in a text that has no numbers of its own.
  std::vector<std::string> sentence(const std::string& pointer, const std::string& text) {
    if (const std::string number = number_in(text); !number.empty())
      fault(pointer, in_quotes(number) +
                         " is a number of its own. Write it as a figure, {name}, so that it is "
                         "always the simulator's, or as a word.");
    std::optional<std::string> wrong;
    auto names = figures_in(text, wrong);
    if (wrong) fault(pointer, *wrong);
    std::erase_if(names, [&](const std::string& name) {
      if (!name.empty()) return !need_figure(pointer, name);
      fault(pointer, "the braces are empty; they name a figure.");
      return true;
    });
    return names;
  }

  void plain(const std::string& pointer, const std::string& text) {
    if (!sentence(pointer, text).empty())
      fault(pointer, "figures have no place here; say it in a step.");
  }

  void tell(const std::vector<std::string>& names) { told_.insert(names.begin(), names.end()); }

  /// What is shown before an answer is locked.
  void before_lock(const std::string& pointer, const std::string& text, bool asked) {
    const auto names = sentence(pointer, text);
    if (!asked) return tell(names);
    for (const std::string& name : names)
      if (!known(name))
        fault(pointer,
              "tells {" + name +
                  "} before an answer is locked. Move it into \"reveal\", or tell it in an "
                  "earlier step.");
  }

  void check_step(const std::string& pointer, const LessonStep& step) {
    const bool asked = step.ask.has_value();
    if (step.show) {
      need_run(pointer + "/show/run", step.show->run);
      seen_.push_back(*step.show);
    }
    if (!step.highlight.empty() && !step.show)
      fault(pointer, "blocks are highlighted, but no pool is shown.");
    before_lock(pointer + "/title", step.title, asked);
    for (std::size_t i = 0; i < step.say.size(); ++i)
      before_lock(child_pointer(pointer + "/say", i), step.say[i], asked);
    check_word(pointer + "/word", step.word);
    if (!asked) return;
    check_question(pointer, step);
    if (step.reveal) check_reveal(pointer + "/reveal", *step.reveal);
    tell({step.ask->expected});
  }

  void check_word(const std::string& pointer, const std::string& word) {
    if (word.empty()) return;
    std::vector<std::string> words;
    for (const auto& [each, meaning] : glossary_)
      words.push_back(each);
    if (std::find(words.begin(), words.end(), word) == words.end())
      fault(pointer, in_quotes(word) + " is not in the glossary (glossary.md beside the lessons)." +
                         did_you_mean(word, words));
    if (!words_.insert(word).second) fault(pointer, in_quotes(word) + " is new twice.");
  }

  void check_question(const std::string& pointer, const LessonStep& step) {
    const LessonQuestion& ask = *step.ask;
    before_lock(pointer + "/ask/text", ask.text, true);
    plain(pointer + "/ask/said", ask.said);
    if (ask.kind == QuestionKind::blocks) {
      if (!step.show || !step.reveal || !step.reveal->show)
        fault(
            pointer + "/ask",
            "blocks are picked in one pool and held against another: the step and its reveal both "
            "need \"show\".");
      return;
    }
    if (!ask.highest.empty() && need_figure(pointer + "/ask/highest", ask.highest) &&
        !known(ask.highest))
      fault(pointer + "/ask/highest", "tells {" + ask.highest + "} before an answer is locked.");
    if (!need_figure(pointer + "/ask/expected", ask.expected)) return;
    if (known(ask.expected))
      fault(pointer + "/ask/expected",
            "asks for {" + ask.expected +
                "}, which is known by then. Ask before it is told, or ask for something else.");
    need_title(pointer + "/ask/expected", ask.expected);
    const std::string& unit = lesson_.figure(ask.expected).unit;
    if ((ask.kind == QuestionKind::share) != (unit == "share"))
      fault(pointer + "/ask/expected",
            "a question of kind share is after a figure with the unit share, and no other is.");
  }

  void check_binomial(const std::string& pointer, const LessonReveal& reveal) {
    if (reveal.binomial.empty() || !need_figure(pointer, reveal.binomial)) return;
    if (!reveal.histogram)
      fault(pointer, "is the law beside a histogram. Set \"histogram\", or remove it.");
    if (lesson_.figure(reveal.binomial).unit != "share")
      fault(pointer, "needs a figure with the unit share: of the slots that are emptied.");
    tell({reveal.binomial});
  }

  void check_reveal(const std::string& pointer, const LessonReveal& reveal) {
    if (reveal.show) {
      need_run(pointer + "/show/run", reveal.show->run);
      seen_.push_back(*reveal.show);
    }
    if (reveal.histogram && !reveal.show)
      fault(pointer + "/histogram", "counts the blocks of a pool that \"show\" has to name.");
    check_binomial(pointer + "/binomial", reveal);
    for (const auto* text : {&reveal.title, &reveal.headline, &reveal.note})
      tell(sentence(pointer + (text == &reveal.title      ? "/title"
                               : text == &reveal.headline ? "/headline"
                                                          : "/note"),
                    *text));
    for (std::size_t i = 0; i < reveal.say.size(); ++i)
      tell(sentence(child_pointer(pointer + "/say", i), reveal.say[i]));
    for (std::size_t i = 0; i < reveal.marks.size(); ++i) {
      const std::string at = child_pointer(pointer + "/marks", i);
      plain(at + "/text", reveal.marks[i].text);
      if (need_figure(at + "/figure", reveal.marks[i].figure)) tell({reveal.marks[i].figure});
    }
    if (reveal.formula) check_formula(pointer + "/formula", *reveal.formula);
    if (reveal.curve) {
      need_run(pointer + "/curve/run", reveal.curve->run);
      if (need_figure(pointer + "/curve/figure", reveal.curve->figure)) {
        need_title(pointer + "/curve/figure", reveal.curve->figure);
        tell({reveal.curve->figure});
      }
      plain(pointer + "/curve/title", reveal.curve->title);
    }
  }

  void check_formula(const std::string& pointer, const LessonFormula& formula) {
    plain(pointer + "/assumes", formula.assumes);
    if (need_figure(pointer + "/figure", formula.figure)) tell({formula.figure});
    std::vector<std::string> symbols;
    for (const auto& [symbol, figure] : formula.symbols) {
      symbols.push_back(symbol);
      need_figure(pointer + "/symbols/" + symbol, figure);
    }
    if (!formula.law) return;
    const auto& used = formula.law->names();
    for (const std::string& name : used)
      if (std::find(symbols.begin(), symbols.end(), name) == symbols.end())
        fault(pointer + "/law", "the symbol " + in_quotes(name) + " is missing in \"symbols\".");
    for (const std::string& symbol : symbols)
      if (std::find(used.begin(), used.end(), symbol) == used.end())
        fault(pointer + "/symbols/" + symbol, "the law has no such symbol.");
  }

  const JsonNode& root_;
  const Lesson& lesson_;
  const Glossary& glossary_;
  Diagnostics& faults_;
  std::set<std::string> told_, words_;
  std::vector<LessonState> seen_;
};

}  // namespace

void check_names(const JsonNode& root, const Lesson& lesson, const Glossary& glossary,
                 Diagnostics& faults) {
  NameChecker(root, lesson, glossary, faults).check();
}

}  // namespace vacancy
