#include "sim/view/plots/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "core/base/check.hpp"
#include "sim/scenario/reading/words.hpp"
#include "sim/view/plots/type.hpp"

namespace ddl::view {
namespace {

constexpr double points_per_mm = 72 / 25.4;
constexpr double one_column_mm = 84, two_columns_mm = 174;  // as most journals have them
constexpr double screen_type = 14, paper_type = 8;

// Distances in units of the type's size.
constexpr double edge = 0.7, number_height = 1.8, beside_numbers = 0.9, between_parts = 0.5, least_panel = 5;
constexpr double screen_names = 24;  // of a legend beside a panel, or at the left of rows: at most
constexpr double paper_names = 0.4;  // the same on paper, as a share of its width

std::size_t columns_for(std::size_t panels) { return panels <= 3 ? panels : panels == 4 ? 2 : 3; }

double lines_high(std::size_t lines) { return line_pitch * static_cast<double>(lines); }

std::size_t most_lines(const std::vector<std::vector<std::string>>& texts) {
  std::size_t most = 0;
  for (const auto& lines : texts) most = std::max(most, lines.size());
  return most;
}

double widest_of(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text));
  return width;
}

std::vector<std::string> first_with_room(const std::vector<std::string>& labels, double room) {
  for (const std::string& label : labels) {
    if (text_width(label) <= room) return {label};
  }
  return labels.empty() ? labels : broken(labels.back(), room);
}

std::string shares_array(const char* name, const std::vector<double>& numbers) {
  std::string list;
  for (const double number : numbers) list += fmt::format("{}{:.5f}", list.empty() ? "" : ", ", number);
  return fmt::format("array {}[{}] = [{}]\n", name, numbers.size(), list);
}

Canvas paper_of(double wide_mm, double high_mm) {
  return {std::floor(wide_mm * points_per_mm), std::floor(high_mm * points_per_mm), paper_type, true};
}

}  // namespace

void Layout::take_sheet(const std::string& size) {
  is_screen_ = size == "screen";
  if (is_screen_) {
    const double names = screen_type * content_.column_width * static_cast<double>(content_.columns.size());
    canvas_ = {std::max(content_.width, names), 0, screen_type, false};
  } else if (size == "one" || size == "two") {
    canvas_ = paper_of(size == "one" ? one_column_mm : two_columns_mm, 0);
  } else {
    double wide = 0, high = 0;
    char rest = 0;
    const int read = std::sscanf(size.c_str(), "%lfx%lf%c", &wide, &high, &rest);
    constexpr double least_mm = 20, most_mm = 1000;
    const auto fits = [](double mm) { return mm >= least_mm && mm <= most_mm; };
    if (read != 2 || !fits(wide) || !fits(high)) {
      throw InputError(
          "--size: " + scenario::in_quotes(size) +
          " is no size; expected screen, one or two (columns), or millimetres from 20 to 1000 such as 120x80");
    }
    canvas_ = paper_of(wide, high);
    chooses_height_ = false;
  }
}

Layout::Layout(Content content, const std::string& size) : content_(std::move(content)) {
  const std::size_t panels = content_.panel_titles.size();
  if (panels > 1) content_.width = 400.0 * static_cast<double>(columns_for(panels));
  take_sheet(size);
  columns_ = canvas_.width < 300 && !is_screen_ ? 1 : columns_for(panels);
  rows_ = (panels + columns_ - 1) / columns_;
  key_at_side_ = is_screen_ && panels == 1;
  for (const Key& key : content_.keys) {
    legends_.emplace_back(key, key_at_side_ ? screen_names : units(canvas_.width) - 2 * edge,
                          key_at_side_ ? 1 : key.names.size());
    if (key_at_side_)
      content_.room_at_right = std::max(content_.room_at_right, legends_.back().width() + between_parts);
  }
  canvas_.width += type(key_at_side_ ? content_.room_at_right : 0);
  title_ = content_.title.empty() ? title_ : broken(content_.title, units(canvas_.width) - 2 * edge);
  note_ = content_.note.empty() ? note_ : broken(content_.note, (units(canvas_.width) - 2 * edge) / small_type);
  wide_ = canvas_.width / static_cast<double>(columns_);
  high_ = chooses_height_ ? high_by_itself() : canvas_.height / static_cast<double>(rows_);
  // Numbers and labels depend on the room that they leave.
  for (int pass = 0; pass < 3; ++pass) measure();
  // Rows and a height of its own follow from what is drawn.
  const bool may_be_low = chooses_height_ || !content_.rows.empty();
  if (wide_ < type(least_panel) || (!may_be_low && high_ < type(least_panel)) || high_ < 0) {
    throw InputError("--size: leaves no room for " + std::string(panels > 1 ? "these panels" : "the picture") +
                     " beside its labels");
  }
  if (units(high_) < lines_high(most_lines(row_names_)) * static_cast<double>(row_names_.size())) {
    throw InputError("--size: leaves no room for the names of " + std::to_string(row_names_.size()) +
                     " rows; expected a higher picture, or fewer folders");
  }
  canvas_.height = std::ceil(canvas_.height);
  place_panels();
  pen_.emplace(canvas_);
  write_around();
  for (std::size_t panel = 0; panel < panels; ++panel) write_panel(panel);
}

double Layout::high_by_itself() const {
  double high = content_.shape * wide_;
  if (!content_.rows.empty()) high = type(row_pitch_) * static_cast<double>(content_.rows.size());
  double keys = 0;
  for (const Legend& legend : legends_) keys += type(legend.height() + between_parts);
  return key_at_side_ ? std::max(high, keys) : high;
}

void Layout::measure() {
  const auto columns = static_cast<double>(columns_), rows = static_cast<double>(rows_);
  if (content_.x) x_ticks_ = ticks_on(content_.x->axis, content_.x->extent, units(wide_), false);
  if (content_.y) y_ticks_ = ticks_on(content_.y->axis, content_.y->extent, units(high_), true);
  y_label_ = first_with_room(content_.y_labels, units(high_) + 2 * edge);
  double names = widest_of(y_ticks_);
  row_names_.clear();
  for (const std::string& row : content_.rows) {
    row_names_.push_back(broken(row, is_screen_ ? screen_names : paper_names * units(canvas_.width)));
    names = std::max(names, widest(row_names_.back()));
  }
  row_pitch_ = std::max(content_.row_height, lines_high(most_lines(row_names_)) + 0.35);
  left_ = type(edge + lines_high(y_label_.size()) + (y_label_.empty() ? 0 : 0.2) + names + beside_numbers);
  const double half = x_ticks_.empty() ? 0 : widest_of(x_ticks_) / 2;
  right_ = type(edge + std::max(half, content_.room_at_right + (key_at_side_ ? half + between_parts : 0)));
  beside_ = type(std::max(1.2, 2 * half + beside_numbers));
  wide_ = (canvas_.width - left_ - right_ - (columns - 1) * beside_) / columns;
  panel_titles_.clear();
  for (const std::string& title : content_.panel_titles) {
    if (!title.empty()) panel_titles_.push_back(broken(title, units(wide_)));
  }
  const double panel_title = panel_titles_.empty() ? 0 : lines_high(most_lines(panel_titles_)) + 0.2;
  above_ = type(edge + 0.2 + lines_high(title_.size()) + (title_.empty() ? 0 : 0.3) + panel_title);
  over_ = type(panel_title + 1);
  measure_below();
  if (chooses_height_) {
    high_ = high_by_itself();
    canvas_.height = above_ + below_ + rows * high_ + (rows - 1) * over_;
  }
  high_ = (canvas_.height - above_ - below_ - (rows - 1) * over_) / rows;
}

void Layout::measure_below() {
  numbers_below_ = x_ticks_.empty() ? 0.3 : number_height;
  if (!content_.columns.empty()) {
    columns_turned_ = widest(content_.columns) > units(cell_width()) - between_parts;
    numbers_below_ = 0.4 + (columns_turned_ ? widest(content_.columns) + 0.3 : line_pitch);
  }
  const double at_ends = 2 * std::min(left_, right_) - 2 * type(edge);
  x_label_ =
      first_with_room(content_.x_labels, units(wide_ + (columns_ == 1 ? at_ends : beside_ - type(beside_numbers))));
  double below = edge;
  if (!note_.empty()) below += small_type * lines_high(note_.size()) + between_parts;
  if (!key_at_side_) {
    for (const Legend& legend : legends_) below += legend.height() + between_parts;
    key_top_ = below;
  }
  below_ = type(below + lines_high(x_label_.size()) + numbers_below_);
}

void Layout::place_panels() {
  for (std::size_t panel = 0; panel < content_.panel_titles.size(); ++panel) {
    const double left = left_ + static_cast<double>(panel % columns_) * (wide_ + beside_);
    const double top = canvas_.height - above_ - static_cast<double>(panel / columns_) * (high_ + over_);
    panels_.push_back({left, left + wide_, top - high_, top});
  }
}

void Layout::write_around() {
  const double half_line = line_pitch / 2;
  pen_->write(title_, canvas_.width / 2, canvas_.height - type(edge + half_line), {.at = Pen::At::middle});
  pen_->write(note_, type(edge), type(edge + small_type * (lines_high(note_.size()) - half_line)),
              {.size = small_type, .soft = true});
  double y = key_at_side_ ? panels_.front().top : type(key_top_ - between_parts);
  for (const Legend& legend : legends_) {
    const double x = key_at_side_ ? canvas_.width - type(edge + content_.room_at_right - between_parts)
                                  : (canvas_.width - type(legend.width())) / 2;
    legend.write(*pen_, canvas_.type, x, y);
    y -= type(legend.height() + between_parts);
  }
}

void Layout::write_columns(const Box& box) {
  for (std::size_t i = 0; i < content_.columns.size(); ++i) {
    const double x = box.left + (static_cast<double>(i) + 0.5) * cell_width();
    const double y = box.bottom - type(0.4);
    if (columns_turned_) {
      pen_->write(content_.columns[i], x, y, {.at = Pen::At::right, .turned = true});
    } else {
      pen_->write(content_.columns[i], x, y - type(line_pitch / 2), {.at = Pen::At::middle});
    }
  }
}

void Layout::write_panel(std::size_t panel) {
  const Box& box = panels_[panel];
  const double middle_x = (box.left + box.right) / 2, middle_y = (box.bottom + box.top) / 2;
  if (!panel_titles_.empty()) {
    const auto& lines = panel_titles_[panel];
    pen_->write(lines, middle_x, box.top + type(0.2 + lines_high(lines.size()) - line_pitch / 2),
                {.at = Pen::At::middle});
  }
  if (panel + columns_ >= panels_.size()) {  // the lowest in its column
    for (const Tick& tick : x_ticks_) {
      const double x = box.left + content_.x->extent.share(tick.place) * wide_;
      pen_->write(tick.text, x, box.bottom - type(number_height - line_pitch / 2), {.at = Pen::At::middle});
    }
    write_columns(box);
    pen_->write(x_label_, middle_x, box.bottom - type(numbers_below_ + line_pitch / 2), {.at = Pen::At::middle});
  }
  if (panel % columns_ != 0) return;
  for (const Tick& tick : y_ticks_) {
    const double y = box.bottom + content_.y->extent.share(tick.place) * high_;
    pen_->write(tick.text, box.left - type(beside_numbers - 0.2), y, {.at = Pen::At::right});
  }
  for (std::size_t i = 0; i < row_names_.size(); ++i) {
    const auto rows = static_cast<double>(row_names_.size());
    const double y = box.top - (static_cast<double>(i) + 0.5) / rows * high_;
    pen_->write(row_names_[i], box.left - type(beside_numbers - 0.3), y, {.at = Pen::At::right, .centred = true});
  }
  pen_->write(y_label_, type(edge + line_pitch / 2), middle_y, {.at = Pen::At::middle, .turned = true});
}

std::string Layout::definitions() const {
  std::vector<double> left, right, bottom, top;
  for (const Box& box : panels_) {
    left.push_back(box.left / canvas_.width);
    right.push_back(box.right / canvas_.width);
    bottom.push_back(box.bottom / canvas_.height);
    top.push_back(box.top / canvas_.height);
  }
  std::string text = shares_array("left", left) + shares_array("right", right) + shares_array("bottom", bottom) +
                     shares_array("top", top);
  if (content_.x) {
    text += fmt::format("set xrange [{}:{}]\n", content_.x->extent.low, content_.x->extent.high);
    text += tick_marks('x', x_ticks_);
  } else {
    text += fmt::format("set xrange [0.5:{}.5]\nunset xtics\n", content_.columns.size());
  }
  if (content_.y) {
    text += fmt::format("set yrange [{}:{}]\n", content_.y->extent.low, content_.y->extent.high);
    text += tick_marks('y', y_ticks_);
  } else {
    text += fmt::format("set yrange [{}.5:0.5]\nunset ytics\n", content_.rows.size());
  }
  return text + pen_->commands();
}

}  // namespace ddl::view
