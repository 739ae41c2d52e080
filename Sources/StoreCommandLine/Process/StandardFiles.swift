import Glibc

/// Standard input, output and error: descriptors 0, 1 and 2.
enum StandardFiles {
    /// Opens `/dev/null` for each of the descriptors that the process was started without. Else the
    /// next socket or file would get the number, and log lines would be written to it.
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
