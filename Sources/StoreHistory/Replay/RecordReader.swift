package import StoreCore
import StoreJSON

/// A reader that makes today's actions from journaled records.
///
/// Only one thread at a time may use a reader.
package final class RecordReader: ActionReader, @unchecked Sendable {
    // Safety: only one thread at a time uses a reader. The cache and the last type are private, and
    // no access to them calls code of the program.

    private static let slotsCount = 256

    private let forms: RecordForms
    private let decoder = JSONDecoder(limits: .unbounded)
    /// A direct-mapped cache: the hash of a name and a program selects a slot, and each slot has
    /// its most recent type.
    @exclusivity(unchecked)
    private var slots: [RecordedType?] = Array(repeating: nil, count: slotsCount)
    /// The type of the previous record.
    @exclusivity(unchecked) private var lastType: RecordedType?

    package init(_ forms: RecordForms) { self.forms = forms }

    func action(of record: Record) throws(UnreadableRecord) -> (any Action)? {
        try record.withView { view throws(UnreadableRecord) in try action(of: view) }
    }

    /// Returns the action of a record without copying its payload; `nil` if a migration drops the
    /// record. Throws the reason why the record can't be read.
    package func action(of record: RecordView) throws(UnreadableRecord) -> (any Action)? {
        let type: RecordedType
        if let lastType, lastType.matches(record.type, record.programNumber) {
            type = lastType
        } else {
            type = try self.recordedType(of: record)
            lastType = type
        }
        if record.payload.count == 2, type.canReadWithoutFields {
            return type.dropsWithoutFields ? nil : type.actionWithoutFields
        }
        do throws(JSONError) {
            return try type.read(record.payload, decoder)
        } catch {
            throw UnreadableRecord(
                type: RecordName(type.name).pattern,
                version: record.version,
                reason: type.hasReadings
                    ? misfitReason(error, type, record) : forms.reasonForUnknownName(type.name)
            )
        }
    }

    private func misfitReason(_ error: JSONError, _ type: RecordedType, _ record: RecordView)
        -> String
    {
        let reason = "its fields don't fit: \(error.messageForOperators)"
        let name = RecordName(type.name).pattern
        guard let then = (try? forms.forms(ofProgram: record.programNumber))?[name]?.form,
            let now = forms.todaysForms[name]?.form, then != now
        else { return reason }
        return reason + "; it was written as \(then), and is \(now) today"
    }

    private func recordedType(of record: RecordView) throws(UnreadableRecord) -> RecordedType {
        let slotIndex = Self.slotIndex(of: record.type, record.programNumber)
        if let known = slots[slotIndex], known.matches(record.type, record.programNumber) {
            return known
        }
        do throws(JournalError) {
            let type = try RecordedType(
                record.type,
                writtenBy: record.programNumber,
                forms,
                decoder
            )
            slots[slotIndex] = type
            return type
        } catch {
            throw UnreadableRecord(
                type: RecordName(String(decoding: record.type, as: UTF8.self)).pattern,
                version: record.version,
                reason: "the forms of its program can't be read: \(error)"
            )
        }
    }

    /// Returns the index of a slot: a hash (FNV-1a) of the program, the name's length and the
    /// name's last eight bytes. Names differ most in their last bytes.
    private static func slotIndex(of name: UnsafeRawBufferPointer, _ program: UInt32) -> Int {
        var hash = 0x811C_9DC5 ^ UInt32(truncatingIfNeeded: name.count) ^ program << 16
        for byte in name.suffix(8) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        return Int((hash ^ hash >> 16) % UInt32(slotsCount))
    }
}
