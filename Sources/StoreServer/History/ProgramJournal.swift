import StoreActionCatalog
import StoreCore

/// A journal of the program's own, in the place of those that flags choose.
struct ProgramJournal: Sendable {
    /// Opens it.
    let open: @Sendable () throws -> any Journal
    /// Whether the server, which opens it, closes it.
    let isClosedByOpener: Bool

    /// Opens the journal and does something with it, which is not to serve it.
    func use<Result>(_ body: (any Journal) throws -> Result) throws -> Result {
        let journal = try open()
        defer { if isClosedByOpener { journal.close() } }
        return try body(journal)
    }

    /// Refuses what chooses or bounds a journal of the server's own, among the options that a flag,
    /// a variable or the file sets.
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
                "--\(option.name): this program has a journal of its own, which this flag does not "
                    + "reach; leave it out"
            )
        }
    }

    /// Refuses times that never were.
    static func checkClock(_ configuration: ServerConfiguration) throws(ConfigurationError) {
        guard configuration.clock == .system else {
            throw ConfigurationError(
                "--clock: 'test' gives actions times that never were, and this program has a journal "
                    + "of its own, which would keep them; leave it out"
            )
        }
    }
}
