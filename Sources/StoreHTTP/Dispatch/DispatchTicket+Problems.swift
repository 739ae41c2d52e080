import StoreCore
import StoreHTTPTransport
import StoreWire

extension DispatchTicket {
    /// Returns the problem for a request of which nothing was applied; `nil` if it may have been
    /// applied. This is the only table from outcomes to problems, for all requests that the Core
    /// completes.
    func problem(of outcome: Outcome) -> Problem? {
        switch outcome {
        case .refused(let refusal, let member):
            let isReadable = mayRead(refusal, of: member)
            let reason = isReadable ? refusal.reason : Refusal.unreadableReason
            if refusal.isForbidden { return .forbidden(reason) }
            let pointer = pointer(isReadable ? refusal.pointer : nil, into: member)
            return .refused(reason: reason, pointer: pointer)
        case .versionMismatch(let current):
            return .versionMismatch(current: Tag(epoch: reader.epoch, version: current))
        case .keyTaken: return .idempotencyMismatch()
        case .failed(let failure): return failure.problem
        case .cancelled, .applied, .replayed, .dryRun: return nil
        }
    }
}

extension CoreFailure {
    /// The problem for a request that the Core could not apply; `nil` if it may have been applied.
    fileprivate var problem: Problem? {
        switch self {
        case .storageFull: .storageFull()
        case .closed: .draining()
        case .journalFailed: .journalFailed()
        case .unreadable: .overloaded("the journal can't be read; the log has the reason")
        case .contended: .overloaded("other servers of this history appended first too often")
        case .unknown: nil
        }
    }
}

extension MailboxError {
    /// Makes the problem for a request that the mailbox did not take. `waiting` is the detail of
    /// the problem if the mailbox is full.
    func problem(waiting: String) -> Problem {
        switch self {
        case .full: .overloaded(waiting)
        case .closed: .draining()
        }
    }
}
