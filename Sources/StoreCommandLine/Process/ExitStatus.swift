/// The exit statuses of a server's process (sysexits.h where it has one).
package enum ExitStatus: CInt, Sendable {
    case success = 0
    /// The server could not start, or a command failed.
    case failure = 1
    /// The command line, the configuration or a script can't be used.
    case usage = 2
    /// What the program needs could not be prepared: a new start may find it (EX_UNAVAILABLE).
    case unavailable = 69
    /// It is not known whether an action became durable: a new start goes on from what the journal
    /// has (EX_IOERR).
    case journalFailed = 74
    /// A stop could not finish in time: a new start goes on from what the journal has
    /// (EX_TEMPFAIL).
    case stopUnfinished = 75
}

/// An error that ends a process with a status of its own; others end it with
/// ``ExitStatus/failure``.
package protocol ExitStatusProviding: Error {
    var exitStatus: ExitStatus { get }
}

extension UsageError: ExitStatusProviding {
    package var exitStatus: ExitStatus { .usage }
}
