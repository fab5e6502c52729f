// Calls on device memory: the device arenas are made when the first one comes.
#include "lib/call_record.hpp"
#include "lib/communicator.hpp"
#include "lib/log.hpp"

namespace qr {

namespace {

SessionResult make_session(Bootstrap& bootstrap, const Settings& settings) {
#if defined(QR_WITH_DEVICE)
  return make_device_session(bootstrap, settings);
#else
  static_cast<void>(settings);
  SessionResult result;
  result.why = agree(bootstrap, {Status::kUnavailable, "this build has no GPU back end"});
  return result;
#endif
}

}  // namespace

Status Communicator::prepare_device(const Request& request, std::string& text) {
  if (is_broken(text)) return Status::kBroken;
  if (device_prepared_) return Status::kSuccess;
  // What follows is collective over the bootstrap, where a rank that is not here would be waited for without
  // end. So the ranks meet in host memory first, whatever `check` says; a peer that reduces host memory finds
  // out there too.
  if (session_) {
    Work work;
    work.record = record_of_device(request.count);
    const Outcome outcome = session_->handshake(work);
    if (outcome.verdict != Verdict::kOk) return finish(outcome, work, text);
  }
  device_prepared_ = true;
  if (size() == 1) return Status::kSuccess;
  SessionResult result = make_session(*bootstrap_, settings_);
  device_session_ = std::move(result.session);
  if (device_session_) {
    device_facts_.fast_path = true;
    choose_table();
    log_line(
        settings_.log, LogLevel::kCommunicator, rank(),
        std::to_string(size()) + " ranks: " + device_session_->describe() + ", tuning table " + table_text_);
  } else {
    device_facts_.why_not = result.why.text;
    if (rank() == 0) {
      log_once(settings_.log, LogLevel::kWarning, 0,
               std::to_string(size()) +
                   " ranks reduce device memory through host memory: " + device_facts_.why_not);
    }
  }
  return Status::kSuccess;
}

void Communicator::choose_table() {
  const DeviceTraits traits = device_session_->traits();
  device_facts_.flagged_blocks = traits.flagged_blocks;
  planned_request_.reset();
  if (file_table_) {
    device_facts_.tuning = *file_table_;
    table_text_ = std::string(file_table_->label()) + " (file " + settings_.tuning + ")";
    return;
  }
  // Devices may differ from rank to rank, and so may the ranks on each.
  struct Choice {
    Tuning tuning;
    std::int32_t sharers;
  };
  const Choice choice = from_first(
      *bootstrap_, Choice{built_in_tuning(traits.name), static_cast<std::int32_t>(traits.sharers)});
  device_facts_.tuning = shared_tuning(choice.tuning, choice.sharers);
  table_text_ = std::string(choice.tuning.label()) + " (built in";
  if (choice.sharers > 1) table_text_ += ", a device shared by " + std::to_string(choice.sharers) + " ranks";
  table_text_ += ")";
  if (rank() == 0 && choice.tuning.label() == "default") {
    log_once(settings_.log, LogLevel::kWarning, 0,
             "no tuning table is built in for " + traits.name +
                 ": plans are made from guesses; measure one with qr_mpi_tune and name it in QR_MPI_TUNING");
  }
}

const Plan& Communicator::device_plan(const Request& request) {
  if (!planned_request_ || !(*planned_request_ == request)) {
    planned_ = make_plan(request, device_facts_, settings_);
    planned_request_ = request;
  }
  return planned_;
}

Status Communicator::device_allreduce(const void* send, void* recv, const Request& request, const Plan& plan,
                                      std::string& text) {
  if (is_broken(text)) return Status::kBroken;
  const Work work = work_of(send, recv, request, plan);
  if (session_) session_->note_device_call(false);
  const Outcome outcome = device_session_->run(work);
  return outcome.verdict == Verdict::kOk ? Status::kSuccess : finish(outcome, work, text);
}

Status Communicator::queue_allreduce(const void* send, void* recv, const Request& request, const Plan& plan,
                                     void* stream, std::string& text) {
  if (is_broken(text)) return Status::kBroken;
  const Work work = work_of(send, recv, request, plan);
  const Outcome outcome = device_session_->run_on_stream(work, stream);
  if (outcome.verdict == Verdict::kOk) {
    if (session_) session_->note_device_call(outcome.captured);
    return Status::kSuccess;
  }
  const Status status = finish(outcome, work, text);
  if (outcome.verdict == Verdict::kMismatch) {
    text = "rank " + std::to_string(rank()) + ": rank " + std::to_string(outcome.peer) + " reduced " +
           std::to_string(outcome.theirs.count) + " values where this rank called with other arguments";
  }
  text = "an earlier call on a stream failed: " + text;
  // Later calls may have been queued behind it: what they hold is not known.
  broken_ = text + ". The communicator can only be freed now";
  return status;
}

}  // namespace qr
