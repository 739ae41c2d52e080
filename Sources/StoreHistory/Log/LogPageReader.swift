package import StoreCore
import StorePlatform
import StoreTelemetry
package import StoreWire

/// A reader that makes one page of the log from the journal.
package struct LogPageReader: Sendable {
    /// The maximum number of bytes of payload and meta in a page with several records.
    package static let bytesMax = 4 << 20
    /// The maximum time of the search for one page, in seconds.
    package var searchSecondsMax = 1.0

    package let log: ActionLog
    /// The newest published version. The journal may have later records, but no reader may see them
    /// yet.
    package let newestVersion: UInt64
    package let query: LogQuery
    package let viewer: Viewer

    package init(
        of log: ActionLog,
        newest: UInt64,
        query: LogQuery,
        for viewer: Viewer = .unrestricted
    ) {
        self.log = log
        self.newestVersion = newest
        self.query = query
        self.viewer = viewer
    }

    private func visibleRecords(_ records: [Record]) -> [Record] {
        log.visibility.visibleRecords(records, to: viewer)
    }

    /// Returns the page, which ends early if its records are large. Waits for the disk.
    package func page() throws(Problem) -> LogPage {
        do throws(JournalError) {
            do throws(JournalError) {
                return try page(after: query.after ?? 0)
            } catch {
                guard case .gone(let oldest) = error, query.after == nil else { throw error }
                return try page(after: oldest - 1)
            }
        } catch {
            throw problem(error, "after version \(query.after ?? 0)")
        }
    }

    /// Returns the trace of a version: the first action in the version's chain of causes, and all
    /// actions that followed from that action, in order. Leaves out the records that the viewer may
    /// not read.
    package func trace(of version: UInt64) throws(Problem) -> [Record] {
        do throws(JournalError) {
            var root = try record(version)
            // A chain of causes may be long, so the loop makes at most `limit` steps.
            for _ in 0..<query.limit {
                guard let cause = root.cause, cause > 0 else { break }
                root = try record(cause)
            }
            let records =
                [root] + (try pageOfConsequences(of: root.version, after: root.version).records)
            return visibleRecords(records)
        } catch {
            throw problem(error, "around version \(version)")
        }
    }

    private func problem(_ error: JournalError, _ readRange: String) -> Problem {
        if case .gone(let oldest) = error { return .gone(oldest: oldest) }
        log.logger.error(.journalUnreadable, "the log can't be read \(readRange): \(error)")
        return .overloaded("the log can't be read; the server's own log has the reason")
    }

    private func record(_ version: UInt64) throws(JournalError) -> Record {
        let page = JournalPageRequest(after: version - 1, limit: 1, bytesMax: Self.bytesMax)
        let record = try log.journal.read(page).records.first
        guard let record, record.version == version else {
            throw .corrupt("version \(version) is missing")
        }
        return record
    }

    private func page(after start: UInt64) throws(JournalError) -> LogPage {
        guard start < newestVersion else { return page([], through: start) }
        if let cause = query.cause { return try pageOfConsequences(of: cause, after: start) }
        let deadline = Deadline(seconds: searchSecondsMax)
        var answer = JournalRecords(records: [], through: start)
        var records: [Record] = []
        // Each read covers a bounded number of records. If a read finds no visible record of the
        // type, the loop reads on, within the time limit.
        repeat {
            answer = try log.journal.read(
                JournalPageRequest(
                    after: answer.through,
                    limit: Int(query.limit),
                    bytesMax: Self.bytesMax,
                    type: query.type
                )
            )
            records += visibleRecords(answer.records.filter { $0.version <= newestVersion })
        } while records.isEmpty && answer.through < newestVersion && !deadline.isOver
        return page(records, through: min(answer.through, newestVersion))
    }

    /// Returns the records that follow from a version, directly or through other records. The
    /// search begins at `cause`, because a record after `start` may follow from a record before
    /// `start`. The page begins after the version `start`. The search up to `start` has no time
    /// limit, so each page covers later versions than the page before.
    private func pageOfConsequences(of cause: UInt64, after start: UInt64) throws(JournalError)
        -> LogPage
    {
        var deadline: Deadline?
        var consequenceVersions: Set<UInt64> = [cause]
        var found: [Record] = []
        var through = cause
        while through < newestVersion, found.count < query.limit, deadline?.isOver != true {
            if through > start, deadline == nil { deadline = Deadline(seconds: searchSecondsMax) }
            let answer = try log.journal.read(
                JournalPageRequest(
                    after: through,
                    limit: Self.searchReadRecordsMax,
                    bytesMax: Self.bytesMax
                )
            )
            guard answer.through > through else { break }
            through = answer.through
            var matching: [Record] = []
            for record in answer.records where record.version <= newestVersion {
                guard let origin = record.cause, consequenceVersions.contains(origin) else {
                    continue
                }
                consequenceVersions.insert(record.version)
                guard record.version > start, query.type.map(record.type.isSame) ?? true
                else { continue }
                matching.append(record)
            }
            for record in visibleRecords(matching) {
                found.append(record)
                if found.count == query.limit {
                    through = record.version
                    break
                }
            }
        }
        return page(found, through: max(start, min(through, newestVersion)))
    }

    /// The maximum number of records in one read of the search.
    private static let searchReadRecordsMax = 1_000

    private func page(_ records: [Record], through: UInt64) -> LogPage {
        LogPage(
            records: records,
            searchedThrough: through,
            epoch: log.epoch,
            newestVersion: newestVersion,
            query: query
        )
    }
}

/// A page of the log (protocol 5.1).
package struct LogPage: Sendable {
    package let records: [Record]
    /// The last version that the search covered: the page has every matching record through this
    /// version.
    package let searchedThrough: UInt64
    package let epoch: Epoch
    /// The newest published version.
    package let newestVersion: UInt64
    package let query: LogQuery
}

/// The query of a client for a page of the log.
package struct LogQuery: Sendable {
    /// The version after which the page begins; `nil` to begin with the oldest version.
    package var after: UInt64?
    /// The maximum number of records on the page.
    package var limit: UInt64
    /// The wire name of the records; `nil` for all names.
    package var type: String?
    /// The version whose consequences the page has: records that follow from it directly or through
    /// other records. `nil` for all records.
    package var cause: UInt64?

    package init(after: UInt64? = nil, limit: UInt64, type: String? = nil, cause: UInt64? = nil) {
        self.after = after
        self.limit = limit
        self.type = type
        self.cause = cause
    }
}
