import Glibc

/// Makes an empty directory for a journal, and returns its path.
package func temporaryDirectory() throws(SystemFailure) -> String {
    // The directory is in memory if possible: thousands of syncs then wait for no disk.
    let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var path = Array("\(root)/journal-XXXXXX".utf8CString)
    guard mkdtemp(&path) != nil else { throw SystemFailure() }
    return path.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
}

/// The error of a system call that a test needs.
package struct SystemFailure: Error {
    /// The number of the error, as `errno` has it when the value is made.
    package let code: Int32

    package init() { code = errno }
}
