import StoreCore
import StoreEventStream
import StorePlatform
import StoreTelemetry
import StoreWire
import Synchronization

// The work of the log's thread: it reads the versions that readers need next.

extension ActionLog {
    /// Reads a piece with this version, unless the cache already has one from another reader's
    /// request.
    package func read(_ version: UInt64) {
        let newest = self.version
        let (found, earlier) = worker.withQueue { work -> (LogPiece?, LogPiece?) in
            let found = work.cache.piece(with: version)
            let starts = version == LogCache.block(of: version).lowerBound
            return (found, found == nil && !starts ? work.cache.piece(with: version - 1) : nil)
        }
        guard found == nil, version <= newest else { return }
        do throws(JournalError) {
            let piece = try piece(with: version, behind: earlier, newest: newest)
            worker.withQueue { work in
                work.cache.insert(piece)
                work.succeeded()
            }
        } catch {
            if case .gone(let oldest) = error, oldest > version {
                worker.withQueue { $0.oldest = max($0.oldest, oldest) }
            } else if worker.withQueue({ $0.failed(version) }) {
                logger.error(
                    .journalUnreadable,
                    "the log can't be read at version \(version): \(error)"
                )
            }
        }
    }

    /// Reads a piece that contains `version`, from the end of `earlier` or the start of the block.
    /// If large or missing records keep this read from reaching `version`, reads again from
    /// `version` itself.
    private func piece(
        with version: UInt64,
        behind earlier: LogPiece?,
        newest: UInt64
    ) throws(JournalError) -> LogPiece {
        let block = LogCache.block(of: version)
        let end = min(block.upperBound, newest)
        if earlier == nil, block.lowerBound < version {
            var records: [Record] = []
            do throws(JournalError) {
                records = try journalRecords(block.lowerBound...end)
            } catch {
                guard case .gone = error else { throw error }
            }
            if let last = records.last, last.version >= version {
                return LogPiece(records[...], epoch: epoch, owners: owners)
            }
        }
        let records = try journalRecords(version...end)
        let isShort = earlier.map { $0.bytes.count < LogCache.shortBytes } ?? false
        return LogPiece(
            records[...],
            epoch: epoch,
            owners: owners,
            behind: isShort ? earlier : nil
        )
    }

    /// Returns the first records of a range: at least one, and without a gap.
    private func journalRecords(
        _ versions: ClosedRange<UInt64>
    ) throws(JournalError) -> [Record] {
        let page = JournalPage(
            after: versions.lowerBound - 1,
            limit: Int(versions.upperBound - versions.lowerBound) + 1,
            bytesMax: LogCache.pieceBytesMax
        )
        let records = try journal.read(page).records
        for (place, record) in records.enumerated()
        where record.version != versions.lowerBound + UInt64(place) {
            throw .corrupt("version \(record.version) is in the place of another one")
        }
        guard !records.isEmpty else {
            throw .corrupt("version \(versions.lowerBound) is missing")
        }
        return records
    }
}
