import Glibc
import StoreActionCatalog
import StoreAuthorization
import StoreCommandLine
import StoreHTTP
import StoreTexts

/// A further store that the process of a server serves.
struct AddedStore: Sendable {
    static let nameCharactersMax = 63

    let name: String
    let program: any StoreProgram

    /// The paths of its resources.
    var links: Links { Links(store: name) }

    private var hasUsableName: Bool {
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        guard let first = name.utf8.first, isAlphanumeric(first) else { return false }
        return name.utf8.count <= Self.nameCharactersMax
            && name.utf8.allSatisfy { isAlphanumeric($0) || "-_.".utf8.contains($0) }
            && !name.isSame(as: StoreStatus.defaultName)
    }

    /// Refuses names that can't be used.
    static func check(_ stores: [AddedStore]) throws(ConfigurationError) {
        var names: Set<ExactText> = []
        for store in stores {
            guard store.hasUsableName else {
                throw ConfigurationError(
                    "the store name '\(store.name)' is not allowed; allowed are at most "
                        + "\(nameCharactersMax) letters, digits, '-', '_' and '.', a letter or "
                        + "digit first, but not '\(StoreStatus.defaultName)'"
                )
            }
            guard names.insert(ExactText(store.name)).inserted else {
                throw ConfigurationError("two stores have the name '\(store.name)'")
            }
        }
    }
}

/// A server with a state of any type, as one of several in a process.
protocol StoreProgram: Sendable {
    /// True if the program keeps the history in a journal of its own.
    var hasOwnJournal: Bool { get }

    /// The paths of the files that keep the shared values of modules.
    var keptPaths: [String] { get }

    /// Refuses commands and shared values of the program that can't be used.
    func check() throws(ConfigurationError)

    /// Returns the names that the store has, for a policy.
    func policyWorld() throws(ConfigurationError) -> PolicyWorld

    /// Starts the store at its place in the process. Returns when the store is ready.
    func serve(
        _ configuration: ServerConfiguration,
        at links: Links,
        in process: ServerProcess,
        _ start: ServerStart
    ) throws -> any ServedStore

    /// Runs a history command. Returns the text to print.
    func run(_ command: HistoryCommand, _ configuration: ServerConfiguration) throws -> String

    /// The same program without a journal of its own, for a server that keeps its history in
    /// memory.
    var forgetting: any StoreProgram { get }
}

extension StoreServer: StoreProgram {
    var hasOwnJournal: Bool { programJournal != nil }

    func check() throws(ConfigurationError) {
        try ExposedCommand.check(commands)
        for value in keptValues { try value.check() }
    }

    var keptPaths: [String] { keptValues.map(\.file.path) }

    /// Refuses a file that is to keep two shared values, also if they belong to different stores.
    func checkKeptPaths() throws(ConfigurationError) {
        var paths: Set<ExactText> = []
        for path in keptPaths + others.flatMap(\.program.keptPaths) {
            guard paths.insert(ExactText(path)).inserted else {
                throw ConfigurationError(
                    "two shared values can't be kept in '\(path)'; give each a file of its own"
                )
            }
        }
    }

    /// Refuses options that select a journal if no store needs one. `given` has the options that a
    /// flag, a variable or the file sets.
    ///
    /// - Throws: ``ConfigurationError`` that names the first such option.
    func checkJournals(
        _ configuration: ServerConfiguration,
        given: Set<String> = []
    ) throws(ConfigurationError) {
        let own = [hasOwnJournal] + others.map(\.program.hasOwnJournal)
        if own.contains(true) { try ProgramJournal.checkClock(configuration) }
        if !own.contains(false) { try ProgramJournal.checkOptions(configuration, given: given) }
    }

    var forgetting: any StoreProgram {
        var server = self
        server.programJournal = nil
        return server
    }
}

extension ServerConfiguration {
    /// Returns the configuration for one of the added stores, which has files of its own.
    func forStore(_ links: Links) -> ServerConfiguration {
        guard let name = links.store else { return self }
        var own = self
        own.dataDirectory += "/stores/\(name)"
        own.analyticsSource += "/stores/\(name)"
        own.stateFile = nil
        return own
    }
}

/// The folder for the histories of added stores: `stores`, in the data directory.
enum StoreFolders {
    /// Makes the folders if they are missing, durably, for their owner alone. Errors are ignored
    /// here: the journal then fails to make its own folder, and reports that.
    static func make(in dataDirectory: String) {
        for (folder, parent) in [
            (dataDirectory, dataDirectory + "/.."), (dataDirectory + "/stores", dataDirectory),
        ] where mkdir(folder, 0o700) == 0 {
            let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            fsync(descriptor)
            close(descriptor)
        }
    }
}

// Adding

extension StoreServer {
    /// Returns a server whose process also serves another store: this store at `/`, the other at
    /// `/stores/<name>`, with all routes of a store.
    ///
    /// ```swift
    /// StoreServer(Shop.self)
    ///     .adding(StoreServer(Chat.self), named: "chat")
    ///     .main()
    /// ```
    ///
    /// Each store has a history, versions, an epoch, sessions, streams and bounds of its own, and
    /// applies its actions in one order. The stores share the listeners, the threads, and the
    /// places for connections and streams. They also share the log, whose lines begin with the
    /// name, and the file of analytics, whose `source` ends with the name. The history of another
    /// store lies in `stores/<name>` of the data directory; `--state-file` is for the store at `/`
    /// alone.
    ///
    /// A store applies no actions if its journal fails or its reducer does not end, and refuses all
    /// requests if it can't be started. The other stores continue, and so does the process.
    /// `GET /stores` and `GET /readyz` show the failed store. If the store at `/` can't start, no
    /// store does.
    ///
    /// - Parameters:
    ///   - other: the other store. Its name and version are not used, nor are the stores that were
    ///     added to it.
    ///   - name: letters, digits, `-`, `_` and `.`, a letter or digit first, at most 63 in all; not
    ///     `default`. A duplicate or invalid name keeps the server from starting.
    /// - Returns: the server with one more store.
    public func adding<Other>(
        _ other: StoreServer<Other>,
        named name: String
    ) -> StoreServer {
        var server = self
        server.others.append(AddedStore(name: name, program: other))
        return server
    }
}
