import Glibc
import StoreActionCatalog
import StoreCommandLine
import StoreCore
import StoreHistory
import StoreJSON
import StoreJournalSQLite
import StorePlatform
import StoreTelemetry

// The command `forget` makes the personal values of users unreadable.

extension HistoryCommandRunner {
    /// The longest wait for a running server, in seconds.
    private static var serverWaitSecondsMax: Double { 60 }

    /// Forgets a user, or the users that standard input names. Returns the text to print.
    func forget(_ name: String) throws -> String {
        guard !server.personalDeclarations.isEmpty else {
            throw CommandFailure("this program declares no personal members (Server.personal)")
        }
        let owners = try owners(named: name)
        let directory = try directoryWithHistory()
        let file = ForgetFile(in: directory)
        do {
            try forget(owners, file, in: directory)
        } catch let error as JournalOpenError where error.reason == .inUse {
            try forgetThroughServer(owners, file)
        } catch let error as ForgetError {
            _ = file.takeRefusal()
            throw CommandFailure(error.description)
        }
        return """
            \(owners.count == 1 ? "\(name) is" : "\(owners.count) users are") forgotten
            make a backup now: earlier backups can't be started any more

            """
    }

    /// Returns the owners with a name, or with the names on standard input.
    private func owners(named name: String) throws -> [String] {
        var owners: [String] = []
        if name == "-" {
            let input = try LineInput("-")
            while let line = try input.next() {
                owners.append(try owner(named: String(decoding: line, as: UTF8.self)))
                guard owners.count <= ForgetFile.ownersMax else {
                    throw CommandFailure("one forget takes at most \(ForgetFile.ownersMax) names")
                }
            }
            guard !owners.isEmpty else { throw CommandFailure("standard input has no names") }
        } else {
            owners = [try owner(named: name)]
        }
        return owners
    }

    /// Returns the owner with a name. A name that begins with `~` is the session of a visitor. A
    /// name may begin with `@`, so that any principal can be named.
    private func owner(named name: String) throws -> String {
        guard !name.isEmpty, !name.utf8.contains(where: { $0 < 0x20 }) else {
            throw CommandFailure("a name has at least one character, and no control characters")
        }
        return name.utf8.first == UInt8(ascii: "~") || name.utf8.first == UInt8(ascii: "@")
            ? name : OwnerName.user(name)
    }

    /// Forgets the owners in this process. Throws if a running server uses the directory.
    private func forget(_ owners: [String], _ file: ForgetFile, in directory: String) throws {
        let journal = try SQLiteJournal(
            directory: directory,
            retention: configuration.diskRetention,
            keyClock: nil,
            acceptDataLoss: false,
            follower: nil,
            sealer: server.recordSealer(configuration),
            log: logger.warningWriter(.journalNoted)
        )
        defer { journal.close() }
        let registry = try ActionRegistry<State>(server.actions, server.composition.actions())
        func complete() throws {
            let history = try RecoveredHistory(
                of: server.program,
                in: journal,
                registry: registry,
                encoder: JSONEncoder(),
                logger: logger
            )
            _ = try server.completeForget(history, registry, configuration)
        }
        // Complete an interrupted forget first.
        if file.exists { try complete() }
        try file.write(owners)
        try complete()
    }

    /// Asks the running server to forget the owners, and waits for the result.
    private func forgetThroughServer(_ owners: [String], _ file: ForgetFile) throws {
        let deadline = Deadline(seconds: Self.serverWaitSecondsMax)
        while file.exists, !deadline.isOver { usleep(20_000) }
        try file.write(owners)
        while file.exists {
            guard !deadline.isOver else {
                throw CommandFailure(
                    "the server has not completed the forget yet, and its log may have the reason; "
                        + "the forget stays pending, and the next start completes it"
                )
            }
            usleep(20_000)
        }
        if let reason = file.takeRefusal() {
            throw CommandFailure("nothing was forgotten: \(reason)")
        }
    }
}
