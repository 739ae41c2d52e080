/// How long a client may have its request wait: for effects, for news, for a server that starts.
enum ClientWait {
    static let secondsMax = 60
}
