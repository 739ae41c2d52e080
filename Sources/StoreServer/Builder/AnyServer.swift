import StoreAuthorization
import StoreCommandLine
import StoreHTTP

/// The declarations of a store, without the type of its state. So a process can have stores with
/// different types of states.
protocol AnyServer: Sendable {
    var hasCustomJournal: Bool { get }

    /// True if the program declares that this store keeps its history in memory.
    var isEphemeral: Bool { get }

    /// The paths of the files that keep the shared values of modules.
    var sharedFilePaths: [String] { get }

    /// The options that the store's program has declared.
    var ownOptions: [OwnOptions] { get }

    /// The same store without the program's journal, for a server that keeps its history in memory.
    var withoutProgramJournal: any AnyServer { get }

    /// Refuses commands and shared values that can't be used.
    func checkDeclarations() throws(ConfigurationError)

    func policyVocabulary() throws(ConfigurationError) -> PolicyVocabulary

    /// Starts the store at the path in `links`. Returns when the store is ready.
    func serve(
        at links: Links,
        in process: ServerProcess,
        _ start: ServerStart
    ) throws -> any RunningStore

    func run(_ command: HistoryCommand, _ configuration: ServerConfiguration) throws -> String
}

extension Server: AnyServer {
    var hasCustomJournal: Bool { openProgramJournal != nil }

    var isEphemeral: Bool { memoryHistory != nil }

    var sharedFilePaths: [String] { mirroredValues.map(\.file.path) }

    var withoutProgramJournal: any AnyServer { with { $0.openProgramJournal = nil } }

    func checkDeclarations() throws(ConfigurationError) {
        try ExposedCommand.checkNames(commands)
        for value in mirroredValues { try value.check() }
        try memoryHistory?.check()
        guard !hasCustomJournal || !isEphemeral else {
            throw ConfigurationError(
                "a store has a journal of the program's own or a history in memory, not both; leave "
                    + "out .journal or .ephemeral"
            )
        }
        try checkPersonalDeclarations()
    }

    func serve(
        at links: Links,
        in process: ServerProcess,
        _ start: ServerStart
    ) throws -> any RunningStore {
        try start.startStore(self, at: links, in: process)
    }

    func run(_ command: HistoryCommand, _ configuration: ServerConfiguration) throws -> String {
        try HistoryCommandRunner(command: command, server: self, configuration: configuration)
            .run()
    }
}
