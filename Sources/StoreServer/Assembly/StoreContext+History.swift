import Glibc
import StoreActionCatalog
import StoreCore
import StoreHistory
import StoreTelemetry

extension StoreContext {
    /// Opens the journal, and makes the newest state from its records.
    func openHistory() throws -> (OpenJournal, RecoveredHistory<State>) {
        let progress = ReplayReporter(to: logger)
        let replay = OpeningReplay(of: server.program, registry, showing: progress)
        let journal =
            try world.simulatedWorld.map { OpenJournal($0.journal) } ?? server.openProgramJournal?()
            ?? OpenJournal(
                configuration,
                follower: replay,
                sealer: server.recordSealer(configuration),
                logger
            )
        func recover() throws -> RecoveredHistory<State> {
            try RecoveredHistory(
                of: server.program,
                in: journal.journal,
                registry: registry,
                encoder: encoder,
                beginningWith: server.stateFile(configuration),
                replayed: replay.replayedState,
                showing: progress,
                logger: logger
            )
        }
        var history = try recover()
        if forgetFile?.exists == true {
            do {
                let kept = try server.completeForget(history, registry, configuration)
                if let kept { logger.info(.historyNoted, kept) }
            } catch { logger.error(.historyNoted, "\(error)") }
            history = try recover()
        }
        return (journal, history)
    }

    /// The file with the owners to forget; `nil` if the program has no personal members.
    var forgetFile: ForgetFile? {
        guard !server.personalDeclarations.isEmpty, !configuration.history.ephemeral,
            world.simulatedWorld == nil
        else { return nil }
        return ForgetFile(in: configuration.history.directory)
    }

    /// Returns the first actions of a store without a history: an action for each shared value
    /// whose file has a value. `place` is the source file and the line that declares the shared
    /// value. Throws if a file can't be used, or if the program makes an action that the store does
    /// not list.
    func firstActions(
        ifEmpty history: RecoveredHistory<State>
    ) throws -> [(action: any Action, sourceLocation: String)] {
        guard history.version == 0 else { return [] }
        return try server.mirroredValues.compactMap { value in
            guard let action = try value.makeFirstAction() else { return nil }
            do { _ = try registry.member(of: action, encoder) } catch {
                throw ConfigurationError(
                    "the store can't begin with the value in '\(value.file.path)': \(error)"
                )
            }
            return (action, value.declarationLocation)
        }
    }

    /// Begins to write shared values to their files. The first value is written only if the store
    /// has a history, or if the file does not exist. Otherwise the file may contain a value that
    /// the store has never had, and the file stays as it is.
    func startSharedFileWriters(
        of core: Core<State>,
        _ history: RecoveredHistory<State>
    ) -> [SharedFileWriter] {
        server.mirroredValues.map { value in
            let writer = SharedFileWriter(
                value.file.path,
                of: value.module,
                on: process.journalThreads,
                encoder,
                logger
            )
            let isFirst = history.version > 0 || access(value.file.path, F_OK) != 0
            value.attach(core, writer, isFirst)
            return writer
        }
    }
}
