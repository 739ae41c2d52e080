import Glibc

/// Standard input, output and error: descriptors 0, 1 and 2.
enum StandardFiles {
    /// Opens `/dev/null` in place of those that the process was started without: else the next
    /// socket or file to be opened would get their numbers, and log lines with them.
    static func fillIn() {
        while true {
            let descriptor = open("/dev/null", O_RDWR)
            guard descriptor > STDERR_FILENO else {
                if descriptor < 0 { return }
                continue
            }
            close(descriptor)
            return
        }
    }
}
