import StoreCore
import StoreTesting

/// Collects the reports about actions that are not applied.
final class RecordingFollower: CommitFollower {
    let droppedActions = Recorder<DroppedAction>()
    let failures = Journaled<ReducerFailure>()
    let unread: Journaled<JournalError>

    init(unread: Journaled<JournalError> = Journaled()) {
        self.unread = unread
    }

    func didDrop(_ action: DroppedAction) { droppedActions.record(action) }
    func reducerDidFail(_ failure: ReducerFailure) { failures.add(failure) }
    func journalDidBecomeUnreadable(_ error: JournalError) { unread.add(error) }
}
