// UpdateSource: where the Instrument service has its messages from: this process, or a recording.

#ifndef SONDE_CONSOLE_UPDATE_SOURCE_H_
#define SONDE_CONSOLE_UPDATE_SOURCE_H_

#include <cstdint>
#include <memory>

#include "console/wire/grpc_frame.h"

namespace sonde {

// Used by the server's thread only.
class UpdateSource {
 public:
  // How far one watcher has been told.
  class Cursor {
   public:
    virtual ~Cursor() = default;
    // Starts to bring the watcher to the present: the first time with everything there is, later
    // with what changed. False while the last time is not over.
    virtual bool Begin() = 0;
    // The next message, of about 1 MiB at most; null when the watcher is up to date.
    virtual GrpcFrame Next() = 0;
  };

  virtual ~UpdateSource() = default;
  // The source must outlive the cursor.
  virtual std::unique_ptr<Cursor> Watch() = 0;
  // Moves the present forward.
  virtual void Refresh() = 0;
  // The details of a task; null when there is no such task (any more).
  virtual GrpcFrame Details(std::uint64_t task_id) = 0;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_UPDATE_SOURCE_H_
