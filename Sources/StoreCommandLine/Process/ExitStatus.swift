/// The exit statuses of a server's process (sysexits.h, if it has a suitable status).
package enum ExitStatus: CInt, Sendable {
    case success = 0
    /// The server could not start, or a command failed.
    case failure = 1
    /// The command line, the configuration or a script can't be used.
    case usage = 2
    /// A dependency of the program could not be prepared: a new start may succeed (EX_UNAVAILABLE).
    case unavailable = 69
    /// An append to the journal had an unknown outcome: a new start continues with the history of
    /// the journal (EX_IOERR).
    case journalFailed = 74
    /// A stop could not finish in time: a new start continues with the history of the journal
    /// (EX_TEMPFAIL).
    case stopUnfinished = 75
}

/// An error that ends a process with a status of its own; all other errors end it with
/// ``ExitStatus/failure``.
package protocol ExitStatusProviding: Error {
    var exitStatus: ExitStatus { get }
}

extension UsageError: ExitStatusProviding {
    package var exitStatus: ExitStatus { .usage }
}
