// SPDX-License-Identifier: Apache-2.0
#include "sim/lesson/lesson_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/lesson/strict_object.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

using Kind = JsonNode::Kind;

constexpr double largest = 1e15;
constexpr std::uint64_t most_events = std::uint64_t{1} << 40;
constexpr std::uint32_t most_seeds = 100;
constexpr const char* first_run = "main";

bool is_name(const std::string& name) {
  return !name.empty() && name.front() >= 'a' && name.front() <= 'z' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

class Reader {
 public:
  Reader(Lesson& lesson, Diagnostics& faults) : lesson_(lesson), faults_(faults) {}

  void read(const JsonNode& root) {
    StrictObject top(root, "", {"title", "goal", "runs", "figures", "steps"}, faults_);
    lesson_.title = top.text("title", Presence::required);
    lesson_.goal = top.text("goal", Presence::required);
    read_runs(top);
    read_figures(top);
    if (const JsonNode* steps = top.list("steps", Presence::required))
      for (std::size_t i = 0; i < steps->items.size(); ++i)
        lesson_.steps.push_back(read_step(steps->items[i], child_pointer(top.pointer("steps"), i)));
  }

 private:
  void check_name(const JsonMember& member, const std::string& pointer) {
    if (!is_name(member.key))
      faults_.add(member.place, pointer,
                  in_quotes(member.key) +
                      " is no name: it starts with a small letter and has small letters, digits "
                      "and underscores.");
  }

  /// The members of an object; nothing where it is none.
  const std::vector<JsonMember>& members(StrictObject& object, std::string_view key) {
    static const std::vector<JsonMember> none;
    const JsonNode* found = object.find(key);
    if (!found) return none;
    if (found->kind == Kind::object) return found->members;
    object.fault(key, "expected an object {…}, got " + std::string(kind_name(found->kind)) + ".");
    return none;
  }

  void read_runs(StrictObject& top) {
    for (const JsonMember& run : members(top, "runs")) {
      const std::string pointer = child_pointer(top.pointer("runs"), run.key);
      check_name(run, pointer);
      auto& settings = lesson_.runs[run.key];
      if (run.value.kind != Kind::object) {
        faults_.add(run.value.place, pointer,
                    "expected an object of settings {\"cache.block_size\": …}, got " +
                        std::string(kind_name(run.value.kind)) + ".");
        continue;
      }
      for (const JsonMember& setting : run.value.members)
        settings.push_back({setting.key, setting.value});
    }
    if (lesson_.runs.empty()) lesson_.runs[first_run];
  }

  void read_figures(StrictObject& top) {
    for (const JsonMember& member : members(top, "figures")) {
      const std::string pointer = child_pointer(top.pointer("figures"), member.key);
      check_name(member, pointer);
      lesson_.figures[member.key] = read_figure(member.value, pointer);
    }
  }

  LessonFigure read_figure(const JsonNode& node, const std::string& pointer) {
    StrictObject object(
        node, pointer,
        {"setting", "summary", "count", "value", "run", "at", "unit", "title", "expect", "within"},
        faults_);
    LessonFigure figure;
    figure.unit = object.has("unit") ? object.text("unit") : "";
    figure.title = object.has("title") ? object.text("title") : "";
    figure.expect = object.number("expect", -largest, largest);
    figure.within = object.number("within", 0, largest).value_or(0);
    if (object.has("within") && !object.has("expect"))
      object.fault("within", "belongs to \"expect\", which is missing.");
    const int kinds = int(object.has("setting")) + int(object.has("summary")) +
                      int(object.has("count")) + int(object.has("value"));
    if (node.kind == Kind::object && kinds != 1)
      faults_.add(node.place, pointer,
                  "a figure has one of the keys setting, summary, count and value; this one has " +
                      std::to_string(kinds) + ".");
    figure.run = run_of(object);
    if (object.has("setting")) {
      figure.kind = LessonFigure::Kind::setting;
      figure.key = object.text("setting");
    } else if (object.has("summary")) {
      figure.kind = LessonFigure::Kind::summary;
      figure.key = object.text("summary");
    } else if (object.has("count")) {
      figure.kind = LessonFigure::Kind::count;
      figure.count = object.choice<PoolCount>("count").value_or(PoolCount::blocks);
      figure.state = {figure.run, moment_of(object)};
    } else if (object.has("value")) {
      figure.value = expression(object, "value");
    }
    if (object.has("at") && !object.has("count"))
      object.fault("at", "belongs to a count; a summary is of the whole run.");
    return figure;
  }

  static std::string run_of(StrictObject& object) {
    return object.has("run") ? object.text("run") : first_run;
  }

  std::optional<Expression> expression(StrictObject& object, std::string_view key) {
    const std::string text = object.text(key, Presence::required);
    if (text.empty()) return std::nullopt;
    try {
      return Expression(text);
    } catch (const UserError& error) {
      object.fault(key, error.what());
      return std::nullopt;
    }
  }

  LessonMoment moment_of(StrictObject& object) {
    const JsonNode* at = object.find("at");
    if (!at || at->kind != Kind::object) {
      const auto kind = object.choice<LessonMoment::Kind>("at", Presence::required);
      return {kind.value_or(LessonMoment::Kind::end), 0, 0};
    }
    StrictObject inner(*at, object.pointer("at"), {"event", "share"}, faults_);
    if (inner.has("event") == inner.has("share"))
      object.fault("at", "a moment has one of the keys event and share.");
    if (inner.has("event"))
      return {LessonMoment::Kind::event, inner.integer("event", 0, most_events).value_or(0), 0};
    return {LessonMoment::Kind::share, 0, inner.number("share", 0, 1).value_or(0)};
  }

  /// `step`: what it marks besides; null for a reveal, which marks nothing.
  std::optional<LessonState> state_of(StrictObject& object, LessonStep* step) {
    const JsonNode* show = object.find("show");
    if (!show) return std::nullopt;
    StrictObject inner(*show, object.pointer("show"), {"run", "at", "highlight", "table"}, faults_);
    const LessonState state{run_of(inner), moment_of(inner)};
    const JsonNode* blocks = inner.list("highlight");
    const auto table = inner.integer("table", 0, std::numeric_limits<std::int32_t>::max());
    for (const std::string_view key : {"highlight", "table"})
      if (!step && inner.has(key))
        inner.fault(key, "belongs to what a step shows first, not to its reveal.");
    if (step && table) step->table = static_cast<std::uint32_t>(*table);
    for (const JsonNode& block : blocks ? blocks->items : std::vector<JsonNode>{}) {
      const auto* id = std::get_if<std::int64_t>(&block.scalar);
      if (id && *id >= 0 && *id < std::numeric_limits<std::uint32_t>::max()) {
        if (step) step->highlight.push_back(static_cast<std::uint32_t>(*id));
      } else {
        faults_.add(block.place, inner.pointer("highlight"),
                    "expected the numbers of blocks, from 0 on.");
      }
    }
    return state;
  }

  LessonStep read_step(const JsonNode& node, const std::string& pointer) {
    StrictObject object(node, pointer, {"title", "word", "say", "show", "ask", "reveal"}, faults_);
    LessonStep step;
    step.place = node.place;
    step.title = object.text("title", Presence::required);
    step.word = object.has("word") ? object.text("word") : "";
    step.say = object.texts("say", Presence::required);
    step.show = state_of(object, &step);
    if (const JsonNode* ask = object.find("ask"))
      step.ask = read_question(*ask, object.pointer("ask"));
    if (const JsonNode* reveal = object.find("reveal"))
      step.reveal = read_reveal(*reveal, object.pointer("reveal"));
    if (step.ask && !step.reveal) object.missing("reveal", "what the answer is held against");
    if (step.reveal && !step.ask)
      object.fault("reveal",
                   "there is nothing to reveal without a question; add \"ask\", or say it "
                   "in \"say\".");
    return step;
  }

  LessonQuestion read_question(const JsonNode& node, const std::string& pointer) {
    StrictObject object(node, pointer,
                        {"kind", "text", "expected", "blocks", "highest", "within", "said"},
                        faults_);
    LessonQuestion question;
    const auto kind = object.choice<QuestionKind>("kind", Presence::required);
    question.kind = kind.value_or(QuestionKind::number);
    question.text = object.text("text", Presence::required);
    question.said = object.text("said", Presence::required);
    question.within = object.number("within", 0, largest).value_or(0);
    const bool blocks = question.kind == QuestionKind::blocks;
    const bool share = question.kind == QuestionKind::share;
    if (kind && blocks)
      question.blocks =
          object.choice<BlockAnswer>("blocks", Presence::required).value_or(BlockAnswer::changed);
    else if (kind)
      question.expected = object.text("expected", Presence::required);
    if (kind && !blocks && !share) question.highest = object.text("highest", Presence::required);
    const auto refuse = [&](std::string_view key, bool wrong) {
      if (kind && wrong && object.has(key))
        object.fault(
            key, "is no key of a question of kind " + std::string(enum_name(question.kind)) + ".");
    };
    refuse("blocks", !blocks);
    refuse("expected", blocks);
    refuse("within", blocks);
    refuse("highest", blocks || share);
    return question;
  }

  LessonReveal read_reveal(const JsonNode& node, const std::string& pointer) {
    StrictObject object(node, pointer,
                        {"title", "headline", "note", "say", "show", "marks", "formula", "curve",
                         "histogram", "binomial"},
                        faults_);
    LessonReveal reveal;
    reveal.title = object.text("title", Presence::required);
    reveal.headline = object.has("headline") ? object.text("headline") : "";
    reveal.note = object.has("note") ? object.text("note") : "";
    reveal.say = object.texts("say", Presence::required);
    reveal.show = state_of(object, nullptr);
    reveal.histogram = object.flag("histogram");
    if (object.has("binomial")) reveal.binomial = object.text("binomial");
    if (const JsonNode* marks = object.list("marks"))
      for (std::size_t i = 0; i < marks->items.size(); ++i) {
        StrictObject mark(marks->items[i], child_pointer(object.pointer("marks"), i),
                          {"text", "figure"}, faults_);
        std::string text = mark.text("text", Presence::required);
        reveal.marks.push_back({std::move(text), mark.text("figure", Presence::required)});
      }
    if (const JsonNode* formula = object.find("formula"))
      reveal.formula = read_formula(*formula, object.pointer("formula"));
    if (const JsonNode* curve = object.find("curve"))
      reveal.curve = read_curve(*curve, object.pointer("curve"));
    return reveal;
  }

  LessonFormula read_formula(const JsonNode& node, const std::string& pointer) {
    StrictObject object(node, pointer, {"law", "symbols", "figure", "within", "assumes", "seeds"},
                        faults_);
    LessonFormula formula;
    formula.law = expression(object, "law");
    for (const JsonMember& symbol : members(object, "symbols")) {
      const std::string at = child_pointer(object.pointer("symbols"), symbol.key);
      if (std::string figure = line_of(symbol.value, at, faults_); !figure.empty())
        formula.symbols.emplace_back(symbol.key, std::move(figure));
    }
    formula.figure = object.text("figure", Presence::required);
    formula.within = object.number("within", 0, largest).value_or(0);
    formula.assumes = object.text("assumes", Presence::required);
    formula.seeds = static_cast<std::uint32_t>(object.integer("seeds", 2, most_seeds).value_or(0));
    return formula;
  }

  LessonCurve read_curve(const JsonNode& node, const std::string& pointer) {
    StrictObject object(node, pointer, {"title", "run", "key", "unit", "values", "figure"},
                        faults_);
    LessonCurve curve;
    curve.title = object.text("title", Presence::required);
    curve.run = run_of(object);
    curve.key = object.text("key", Presence::required);
    curve.unit = object.has("unit") ? object.text("unit") : "";
    curve.figure = object.text("figure", Presence::required);
    if (const JsonNode* values = object.list("values", Presence::required)) {
      curve.values = values->items;
      for (const JsonNode& value : values->items)
        if (value.kind != Kind::integer && value.kind != Kind::number) {
          faults_.add(
              value.place, object.pointer("values"),
              "expected numbers, got " + std::string(kind_name(value.kind)) + " among them.");
          break;
        }
    }
    return curve;
  }

  Lesson& lesson_;
  Diagnostics& faults_;
};

}  // namespace

void read_lesson(const JsonNode& root, Lesson& lesson, Diagnostics& faults) {
  Reader(lesson, faults).read(root);
}

}  // namespace vacancy
