import StoreActionCatalog
import StoreCore
import StoreHTTPTransport
import StoreHistory
import StorePatterns
import StorePlatform
import StorePublishing
import StoreTelemetry
import Synchronization

extension StoreAssembly {
    /// Starts the parts, and returns when the store is ready for clients.
    func start() throws {
        keeper.start()
        core.start()
        let reactions = context.server.reactions
        for reaction in reactions where !reaction.isAtStart { core.add(reaction: reaction) }
        try startModules()
        for first in firstActions {
            core.engine.dispatchProgramAction(
                first.action,
                from: ActionSource(sourceLocation: first.sourceLocation)
            )
        }
        for reaction in reactions where reaction.isAtStart { core.add(reaction: reaction) }
        resumeEffects()
        // Waits until the mailbox has the actions that reactions dispatch at the start. These
        // actions then come before the requests of clients.
        let haveReacted = Latch()
        if core.engine.enqueue({ haveReacted.open() }) { _ = haveReacted.wait() }
        log.start()
        if let threads = context.process.threads {
            try streamWriter.start(on: threads.streamThread)
        } else {
            try streamWriter.start(ReaderThread.start(name:_:))
        }
        if let forgetter = makeForgetter() { context.process.watchdog.add(forgetter.check) }
    }

    /// Ends the open views of the previous server, and resumes the effects of that server.
    func resumeEffects() { context.composition.resumeEffects(core, history, context.logger) }

    /// Logs a warning for each setting that gives all clients too many rights for a public server.
    func warnOfExposure() {
        let configuration = context.configuration
        func warn(_ text: String) { context.logger.warning(.configurationExposed, text) }
        if context.world.testWorld != nil {
            warn(
                "--clock test: time stands still until a client moves it, and random numbers repeat; "
                    + "this is for tests, and not for production"
            )
        }
        guard !configuration.servesOperatorsOnLoopbackOnly else { return }
        if configuration.http.debugRoutes {
            warn("--debug-routes: every client may end streams and analytics")
        }
        if configuration.analytics.recentEventsMax != nil {
            warn("--analytics-recent: every client may read the analytics events")
        }
    }

    // The modules that start with the store

    /// Starts the modules that start with the store, and waits until the starts are durable. Does
    /// nothing if the store has a history.
    ///
    /// A single envelope has all starts, and is applied only to the state of version 0. The modules
    /// are therefore started once, even if the process ends meanwhile, or if several servers begin
    /// one history together.
    func startModules() throws { try offerFirstStarts()?.waitUntilDurable() }

    /// Dispatches the actions that start modules with the store. Returns `nil` if there are no such
    /// actions, or if the store has a history.
    func offerFirstStarts() throws -> FirstStartsCompletion? {
        let starts = context.composition.startActions
        guard !starts.isEmpty, history.version == 0,
            // A state from a file continues an earlier store, whose modules have started.
            try GivenState.firstSnapshot(of: history.journal) == nil
        else { return nil }
        let members = try starts.map { try context.registry.member(of: $0, context.encoder) }
        let first = FirstStartsCompletion(members.map(\.type))
        let envelope = Envelope(
            members: members,
            condition: VersionCondition(0),
            source: ActionSource(sourceLocation: "StoreServer/start"),
            completion: first
        )
        try core.engine.offer(envelope)
        return first
    }
}

/// The outcome of the first starts of modules, for a thread that waits.
final class FirstStartsCompletion: Completion {
    private let types: [String]
    private let outcome = AwaitedAnswer<Outcome>()

    fileprivate init(_ types: [String]) { self.types = types }

    func complete(_ outcome: Outcome) { self.outcome.give(outcome) }

    /// Waits until the starts are durable. Throws if the starts are not applied.
    fileprivate func waitUntilDurable() throws(FirstStartError) {
        let reason: String
        switch outcome.wait() {
        // A version mismatch means that another server of this history has started the modules.
        case .applied, .versionMismatch: return
        case .refused(let refusal, let member):
            let type = types.indices.contains(member) ? types[member] : "start"
            reason = " with '\(type)': " + (refusal.reducerError.map { "\($0)" } ?? refusal.reason)
        case .failed(.storageFull): reason = ": there is no room for its first actions"
        default: reason = ": its first actions were not applied"
        }
        throw FirstStartError(description: "the store can't begin" + reason)
    }
}

/// The error of a start whose first actions were not applied.
struct FirstStartError: Error, CustomStringConvertible {
    let description: String
}
