// A communicator of the library: settings, arenas and health of one group of ranks, without MPI.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lib/backend.hpp"
#include "lib/bootstrap.hpp"
#include "lib/plan.hpp"
#include "lib/settings.hpp"

namespace qr {

/// Created collectively, used by one thread at a time, destroyed locally.
class Communicator {
 public:
  /// Collective. Takes the road that all ranks can take: with arenas, or without (then facts().why_not says
  /// why). Throws Error(kConfig) on all ranks when their settings differ.
  Communicator(std::unique_ptr<Bootstrap> bootstrap, const Settings& settings);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Collective. New settings; arenas are made anew if one of them needs it. Throws Error on all ranks, with
  /// nothing changed, if the settings differ between the ranks.
  void change_settings(const Settings& settings);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Facts& facts() const { return facts_; }
  [[nodiscard]] const Session* session() const { return session_.get(); }
  [[nodiscard]] int rank() const { return bootstrap_->rank(); }
  [[nodiscard]] int size() const { return bootstrap_->size(); }

  /// The plan for a request on this communicator.
  [[nodiscard]] Plan plan(const Request& request) const { return make_plan(request, facts_, settings_); }

  /// The fast path. plan.algorithm is not kMpi; buffers were checked. Blocking, collective. On failure the
  /// sentence is in `text`.
  Status allreduce(const void* send, void* recv, const Request& request, const Plan& plan, std::string& text);

  /// Before the first call on device memory, and free afterwards. Collective with such calls of the peers
  /// only: a peer that calls with host memory gets an error, as this rank does. Makes the device arenas, or
  /// agrees that there are none.
  Status prepare_device(const Request& request, std::string& text);

  /// The plan for device memory; kMpi where there are no device arenas.
  [[nodiscard]] const Plan& device_plan(const Request& request);
  /// Which tuning table that plan is made from, for people; empty where there are no device arenas.
  [[nodiscard]] const std::string& table_text() const { return table_text_; }
  [[nodiscard]] const Facts& device_facts() const { return device_facts_; }
  [[nodiscard]] const Session* device_session() const { return device_session_.get(); }

  /// As allreduce(), on buffers of the device whose arenas there are.
  Status device_allreduce(const void* send, void* recv, const Request& request, const Plan& plan,
                          std::string& text);

  /// The same, queued on a stream. A failure of an earlier call on a stream is reported here.
  Status queue_allreduce(const void* send, void* recv, const Request& request, const Plan& plan, void* stream,
                         std::string& text);

  /// Before a fallback, when checking is on: makes sure that all ranks fall back with the same arguments.
  /// The record is one of record_of_fallback().
  Status check_fallback(const CallRecord& record, std::string& text) { return check(record, text); }

  /// The same before the first piece of a call whose pieces follow as calls of their own.
  Status check_pieces(const Request& request, const Plan& plan, std::string& text);

  /// Before settings change, when checking is on: makes sure that all ranks change them now. What follows
  /// waits in MPI, which has no time-out.
  Status check_settings(std::string& text);

  /// The arguments of a call on this rank are wrong, and it will not be made here: peers that make it get an
  /// error that says so, and the next call works again. Calls on device memory do not see it, so once there
  /// are device arenas nothing is said: peers may be there, and wait until their time is over. Nor is
  /// anything said without `check`.
  void refuse_call(Status why);

  /// kSuccess, or the status of every further call (kBroken).
  [[nodiscard]] Status health() const { return broken_.empty() ? Status::kSuccess : Status::kBroken; }
  [[nodiscard]] const std::string& broken_text() const { return broken_; }

 private:
  void set_up();
  /// Collective, where there are device arenas: all ranks get rank 0's table.
  void choose_table();
  /// True after a failure that ended the communicator; then `text` says which.
  bool is_broken(std::string& text) const;
  [[nodiscard]] Work work_of(const void* send, void* recv, const Request& request, const Plan& plan) const;
  Status check(const CallRecord& record, std::string& text);
  Status finish(const Outcome& outcome, const Work& work, std::string& text);
  /// Frees the peers that wait for this rank, whatever memory they wait with.
  void abort_all(Verdict reason, int about);

  std::unique_ptr<Bootstrap> bootstrap_;
  Settings settings_;
  Facts facts_;
  std::unique_ptr<Session> session_;
  std::optional<Tuning> file_table_;  // that the setting `tuning` names
  Facts device_facts_;
  std::string table_text_;
  // Calls in a row tend to be alike, and a plan takes a while.
  std::optional<Request> planned_request_;
  Plan planned_;
  std::unique_ptr<Session> device_session_;
  bool device_prepared_ = false;
  std::string broken_;  // why this communicator cannot be used any more
};

}  // namespace qr
