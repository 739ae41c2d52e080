import StoreActionCatalog
import StoreCore

/// A journal of the program's own, in place of a journal that flags choose.
struct ProgramJournal: Sendable {
    /// Opens the journal.
    let open: @Sendable () throws -> any Journal
    /// True if the server, which opens the journal, also closes it.
    let isClosedByOpener: Bool

    /// Opens the journal and runs `body` with it, for a command that does not serve the store.
    func use<Result>(_ body: (any Journal) throws -> Result) throws -> Result {
        let journal = try open()
        defer { if isClosedByOpener { journal.close() } }
        return try body(journal)
    }

    /// Refuses options that choose or bound a journal of the server's own. `given` has the options
    /// that a flag, a variable or the file sets.
    ///
    /// - Throws: ``ConfigurationError`` that names the first such option.
    static func checkOptions(
        _ configuration: ServerConfiguration,
        given: Set<String>
    ) throws(ConfigurationError) {
        let standard = ServerConfiguration()
        let options: [(name: String, isOther: Bool)] = [
            ("data", configuration.dataDirectory != standard.dataDirectory),
            ("ephemeral", configuration.ephemeral),
            ("accept-data-loss", configuration.acceptDataLoss),
            ("history-max", configuration.historyMax != standard.historyMax),
            ("retain-age", configuration.retainSeconds != standard.retainSeconds),
            ("retain-size", configuration.retainBytes != standard.retainBytes),
        ]
        for option in options where option.isOther || given.contains(option.name) {
            throw ConfigurationError(
                "--\(option.name): this program has a journal of its own, on which this flag "
                    + "has no effect; leave it out"
            )
        }
    }

    /// Refuses the test clock, because a program's own journal would keep its false times.
    static func checkClock(_ configuration: ServerConfiguration) throws(ConfigurationError) {
        guard configuration.clock == .system else {
            throw ConfigurationError(
                "--clock: 'test' gives actions invented times, and this program has a journal "
                    + "of its own, which would keep them; leave it out"
            )
        }
    }
}
