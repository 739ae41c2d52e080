import Dispatch
import StoreCore

/// A range of history, read page by page.
struct JournalPages {
    private let journal: any Journal
    private let endVersion: UInt64
    private var pending: PendingPage?

    init(_ journal: any Journal, after start: UInt64, through end: UInt64) {
        self.journal = journal
        self.endVersion = end
        pending = start < end ? PendingPage(journal, after: start) : nil
    }

    /// Returns the next records; `nil` after the end of the range.
    mutating func next() throws(ReplayError) -> [Record]? {
        guard let page = pending else { return nil }
        let answer: JournalRecords
        do { answer = try page.wait() } catch { throw .journal(error) }
        var records = answer.records
        pending = nil
        guard let last = records.last else {
            throw .journal(.corrupt("the journal ends before version \(endVersion)"))
        }
        if last.version < endVersion {
            pending = PendingPage(journal, after: last.version)
        } else if last.version > endVersion {
            records.removeLast(Int(last.version - endVersion))
        }
        return records
    }
}

/// A page that is being read on another thread.
private final class PendingPage: @unchecked Sendable {
    private static let recordsMax = 2_000
    private static let bytesMax = 4 << 20

    // Safety: `result` is written before the signal and read after the wait.
    private var result: Result<JournalRecords, JournalError> = .failure(.unknown("not read"))
    private let completion = DispatchSemaphore(value: 0)

    init(_ journal: any Journal, after version: UInt64) {
        let page = JournalPageRequest(
            after: version,
            limit: Self.recordsMax,
            bytesMax: Self.bytesMax
        )
        DispatchQueue.global().async { [self] in
            result = Result { () throws(JournalError) in try journal.read(page) }
            completion.signal()
        }
    }

    func wait() throws(JournalError) -> JournalRecords {
        completion.wait()
        return try result.get()
    }
}
