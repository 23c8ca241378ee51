// What a program whose files compile Asio without tracking refers to.

// Defined by asio_tracked.cc as well: a program that refers to both cannot be linked.
extern "C" {
extern const char sonde_some_files_track_asio_and_others_do_not;
const char sonde_some_files_track_asio_and_others_do_not = 1;
extern const char sonde_asio_is_not_tracked;
const char sonde_asio_is_not_tracked = 1;
}
