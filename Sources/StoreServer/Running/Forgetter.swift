import StoreActionCatalog
import StoreCore
import StoreHistory
import StorePlatform
import StoreTelemetry
import Synchronization

/// The part of a running store that forgets the owners in the file `forget`.
final class Forgetter: Sendable {
    /// The time between a failed attempt and the next attempt, in seconds.
    private static let pauseSeconds = 5
    private let file: ForgetFile
    private let keeper: SnapshotKeeper
    private let log: ActionLog
    private let logger: Logger
    /// Dispatches the program's actions for the owners, and returns when the actions are durable.
    /// The error has the reason why the program refuses an action.
    private let dispatch: @Sendable (_ principals: [String]) throws(ForgetError) -> Void
    private let isBusy = Atomic(false)
    /// The time of the steady clock before which no attempt begins, in nanoseconds.
    private let nextAttemptNanoseconds = Atomic<UInt64>(0)

    init(
        _ file: ForgetFile,
        keeper: SnapshotKeeper,
        log: ActionLog,
        logger: Logger,
        dispatch: @escaping @Sendable (_ principals: [String]) throws(ForgetError) -> Void
    ) {
        self.file = file
        self.keeper = keeper
        self.log = log
        self.logger = logger
        self.dispatch = dispatch
    }

    /// If there is a file, begins to forget its owners on a thread of its own. A single thread
    /// calls this function at short intervals.
    func check() {
        guard file.exists,
            SystemTime.steadyNanoseconds() >= nextAttemptNanoseconds.load(ordering: .relaxed),
            !isBusy.exchange(true, ordering: .acquiringAndReleasing)
        else { return }
        SystemThread.start(name: "forget") { [self] in
            run()
            isBusy.store(false, ordering: .releasing)
        }
    }

    private func run() {
        guard let owners = file.owners else { return }
        do {
            keeper.prepareForget(owners, origin: ForgetOrigin.text)
            try dispatch(owners.compactMap { OwnerName.principal(of: $0) })
            let kept = try keeper.forget(owners)
            log.dropCache()
            file.remove()
            logger.info(.historyNoted, ForgetOrigin.description(of: owners, kept))
        } catch {
            let error = error as? ForgetError ?? .failed("\(error)")
            logger.error(.historyNoted, "\(error)")
            if case .refused(let reason) = error { return file.refuse(because: reason) }
            let pause = UInt64(Self.pauseSeconds) * 1_000_000_000
            nextAttemptNanoseconds.store(
                SystemTime.steadyNanoseconds() &+ pause,
                ordering: .relaxed
            )
        }
    }
}

/// The reason why the owners in the file are not forgotten.
enum ForgetError: Error, CustomStringConvertible {
    /// A reducer refuses an action of ``Server/forgetting(_:)``, for this reason. Nothing was
    /// forgotten.
    case refused(String)
    /// The journal or another part failed. The server tries again later.
    case failed(String)

    var description: String {
        switch self {
        case .refused(let reason): "nothing was forgotten: \(reason)"
        case .failed(let reason):
            "a forget is not complete, and the server tries again: \(reason)"
        }
    }
}

extension StoreAssembly {
    /// Makes the part that forgets; `nil` if the program has no personal members.
    func makeForgetter() -> Forgetter? {
        guard let file = context.forgetFile, let make = context.server.makeForgettingActions else {
            return nil
        }
        let (registry, encoder, engine) = (context.registry, context.encoder, core.engine)
        return Forgetter(file, keeper: keeper, log: log, logger: context.logger) {
            principals throws(ForgetError) in
            let actions = principals.flatMap(make)
            for start in stride(from: 0, to: actions.count, by: ForgetFile.actionsPerBatch) {
                let completion = ForgetCompletion()
                do {
                    let batch = actions[start...].prefix(ForgetFile.actionsPerBatch)
                    try engine.offer(
                        Envelope(
                            members: batch.map { try registry.member(of: $0, encoder) },
                            source: ActionSource(sourceLocation: ForgetOrigin.text),
                            completion: completion
                        )
                    )
                } catch { throw .failed("\(error)") }
                try completion.waitUntilDurable()
            }
        }
    }
}

/// The outcome of the program's action, for the forgetting thread, which waits for it.
private final class ForgetCompletion: Completion {
    private let outcome = AwaitedAnswer<Outcome>()

    func complete(_ outcome: Outcome) { self.outcome.give(outcome) }

    func waitUntilDurable() throws(ForgetError) {
        switch outcome.wait() {
        case .applied: return
        case .refused(let refusal, _):
            throw .refused(refusal.reducerError.map { "\($0)" } ?? refusal.reason)
        case .failed(.storageFull): throw .failed("there is no room left on the disk")
        default: throw .failed("the program's action was not applied")
        }
    }
}
