/// The most seconds that a request may wait: for effects, for a newer version, or for the start of
/// the server.
enum ClientWait {
    static let secondsMax = 60
}
