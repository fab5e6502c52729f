// Set-up of a communicator, calls on it, and what is said when one fails.
#include "lib/communicator.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "lib/call_record.hpp"
#include "lib/log.hpp"

namespace qr {

namespace {

constexpr std::size_t kValueBytes = 256;  // of a setting's text when ranks compare

/// The agreed settings of all ranks are this rank's, or all ranks throw the same sentence.
void compare_settings(Bootstrap& bootstrap, const Settings& settings) {
  for (const SettingInfo& info : setting_table()) {
    if (info.local) continue;
    std::array<char, kValueBytes> mine{};
    const std::string text = info.print(settings);
    std::memcpy(mine.data(), text.data(), std::min(text.size(), kValueBytes - 1));
    const auto all = gather_all(bootstrap, mine);
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      if (all[rank] == all[0]) continue;
      throw Error(Status::kConfig,
                  std::string("setting ") + info.name + " differs between ranks: rank 0 has \"" +
                      all[0].data() + "\", rank " + std::to_string(rank) + " has \"" + all[rank].data() +
                      "\"; set it alike on all ranks (mpirun -x QR_MPI_... or the same MPI_Info)");
    }
  }
}

/// What a rank in host memory says of a peer that went on to device memory.
std::string kinds_text(int host_rank, int device_rank) {
  return "the ranks do not make the same call: rank " + std::to_string(device_rank) +
         " reduces in device memory, rank " + std::to_string(host_rank) + " in host memory";
}

}  // namespace

Communicator::Communicator(std::unique_ptr<Bootstrap> bootstrap, const Settings& settings)
    : bootstrap_(std::move(bootstrap)), settings_(settings) {
  compare_settings(*bootstrap_, settings_);
  if (!settings_.tuning.empty()) file_table_ = agree_on_tuning(*bootstrap_, settings_.tuning);
  set_up();
}

Communicator::~Communicator() = default;

void Communicator::set_up() {
  session_.reset();
  device_session_.reset();
  device_prepared_ = false;
  device_facts_ = {};
  device_facts_.world = size();
  device_facts_.memory = Memory::kDevice;
  table_text_.clear();
  planned_request_.reset();
  facts_ = {};
  facts_.world = size();
  if (size() == 1) return;
  SessionResult result = make_host_session(*bootstrap_, settings_);
  session_ = std::move(result.session);
  if (session_) {
    facts_.fast_path = true;
    facts_.region_bytes = session_->layout().region_bytes;
    if (rank() == 0)
      log_line(settings_.log, LogLevel::kCommunicator, 0,
               std::to_string(size()) + " ranks: " + session_->describe());
    return;
  }
  facts_.why_not = result.why.text;
  // Several nodes are an ordinary case; a node whose ranks cannot share memory is worth a line.
  const LogLevel level = bootstrap_->same_node() ? LogLevel::kWarning : LogLevel::kCommunicator;
  if (rank() == 0)
    log_line(settings_.log, level, 0, std::to_string(size()) + " ranks go through MPI: " + facts_.why_not);
}

void Communicator::change_settings(const Settings& settings) {
  compare_settings(*bootstrap_, settings);
  const bool other_table = settings.tuning != settings_.tuning;
  std::optional<Tuning> table = file_table_;
  if (other_table) {
    // Throws on all ranks before anything has changed.
    table.reset();
    if (!settings.tuning.empty()) table = agree_on_tuning(*bootstrap_, settings.tuning);
  }
  bool again = false;
  for (const SettingInfo& info : setting_table()) {
    again = again || (info.needs_setup && info.print(settings) != info.print(settings_));
  }
  settings_ = settings;
  file_table_ = table;
  planned_request_.reset();
  if (again) {
    set_up();
  } else if (other_table && device_session_) {
    choose_table();
  }
}

bool Communicator::is_broken(std::string& text) const {
  if (broken_.empty()) return false;
  text = broken_;
  return true;
}

Work Communicator::work_of(const void* send, void* recv, const Request& request, const Plan& plan) const {
  Work work{.send = send, .recv = recv, .request = request, .plan = plan};
  if (settings_.check) work.record = record_of(request, plan);
  return work;
}

Status Communicator::allreduce(const void* send, void* recv, const Request& request, const Plan& plan,
                               std::string& text) {
  if (is_broken(text)) return Status::kBroken;
  const Work work = work_of(send, recv, request, plan);
  const Outcome outcome = session_->run(work);
  return outcome.verdict == Verdict::kOk ? Status::kSuccess : finish(outcome, work, text);
}

Status Communicator::check_pieces(const Request& request, const Plan& plan, std::string& text) {
  return check(record_of_pieces(request, plan), text);
}

Status Communicator::check_settings(std::string& text) { return check(record_of_settings(), text); }

Status Communicator::check(const CallRecord& record, std::string& text) {
  if (is_broken(text)) return Status::kBroken;
  if (!session_ || !settings_.check) return Status::kSuccess;
  Work work;
  work.record = record;
  const Outcome outcome = session_->handshake(work);
  return outcome.verdict == Verdict::kOk ? Status::kSuccess : finish(outcome, work, text);
}

void Communicator::refuse_call(Status why) {
  // Without checking, peers may make a call in which they look at no signal, and would find this one in the
  // next.
  if (!broken_.empty() || !session_ || device_session_ || !settings_.check) return;
  const Outcome outcome = session_->refuse(record_of_refusal(why));
  std::string text;  // what is wrong with the communicator, the next call says
  if (outcome.verdict != Verdict::kOk) static_cast<void>(finish(outcome, {}, text));
}

void Communicator::abort_all(Verdict reason, int about) {
  // Host memory first: a rank that is freed from a device call looks there for the reason.
  if (session_) session_->abort(reason, about);
  if (device_session_) device_session_->abort(reason, about);
}

Status Communicator::finish(const Outcome& outcome, const Work& work, std::string& text) {
  const std::string me = "rank " + std::to_string(rank()) + " of " + std::to_string(size()) + ": ";
  const std::string peer = "rank " + std::to_string(outcome.peer);
  switch (outcome.verdict) {
    case Verdict::kOk:
      return Status::kSuccess;
    case Verdict::kMismatch:
      text = me + "the ranks do not make the same call: " +
             difference_text(work.record, outcome.theirs, outcome.peer) + "; nothing was reduced";
      return Status::kMismatch;
    case Verdict::kTimeout:
      abort_all(outcome.verdict, outcome.peer);
      text = me + peer + " did not take part within " + std::to_string(settings_.timeout_ms) +
             " ms (expected its signal " + std::to_string(outcome.expected) + ", saw " +
             std::to_string(outcome.seen) +
             "); it is dead, stuck or in another call. Raise QR_MPI_TIMEOUT_MS if it may be that late";
      broken_ = text + ". The communicator can only be freed now";
      return Status::kTimeout;
    case Verdict::kElsewhere:
      abort_all(outcome.verdict, outcome.peer);
      text = me + kinds_text(rank(), outcome.peer);
      broken_ = text + ". The communicator can only be freed now";
      return Status::kMismatch;
    case Verdict::kAbort: {
      const AbortNote note = session_ ? session_->abort_note() : AbortNote{};
      const bool kinds = note.reason == static_cast<std::uint32_t>(Verdict::kElsewhere);
      text = me + (kinds ? kinds_text(note.rank, note.about)
                         : peer + " gave up" +
                               (outcome.about >= 0 ? " waiting for rank " + std::to_string(outcome.about)
                                                   : std::string()) +
                               ", so this communicator cannot go on");
      broken_ = text + ". The communicator can only be freed now";
      return kinds ? Status::kMismatch : Status::kAborted;
    }
  }
  text = me + "unknown verdict";
  return Status::kInternal;
}

}  // namespace qr
