import CStoreHTTPD
import Glibc

/// A response of the library that is queued for request after request.
///
/// Making one costs the library an allocation, a copy of the body, and three allocations for each
/// field. Here the body has the same length each time, and only fields that differ are added anew.
/// Most answers differ in the last field alone, which is the `ETag`: another tag of its length is
/// written over it.
final class ReusedResponse {
    // Safety: the loop's thread works on one property at a time; the accesses are not checked.

    /// Longer heads have a response made for each.
    private static let fieldsBytesMax = 512
    private static let fieldsMax = 12

    /// How long the body is.
    let length: Int
    private let response: OpaquePointer
    // Safety: the library's response frees it, and is kept until `deinit`.
    private let body: UnsafeMutableRawPointer
    /// The fields that it has, as ``HTTPFields`` has them.
    private let fields: UnsafeMutablePointer<CChar>
    /// Where each of them ends.
    private let ends: UnsafeMutablePointer<Int>
    @exclusivity(unchecked) private var fieldCount = 0
    /// Where the library has the value of the `ETag`, if that is the last field and may be written
    /// over.
    @exclusivity(unchecked) private var tag: UnsafeMutablePointer<CChar>?
    private let rewritesTags: Bool
    /// The `Date` that it has besides.
    @exclusivity(unchecked) private var date: DateField?

    /// Makes a response with these fields, which stay; `nil` where there is no memory. It writes
    /// over tags where the library that is loaded allows it.
    init?(length: Int, _ common: HTTPFields, rewritesTags: Bool) {
        guard let body = malloc(max(length, 1)) else { return nil }
        guard let response = chttpd_response_make(body, length) else {
            free(body)
            return nil
        }
        for (name, value) in common.texts where chttpd_response_add(response, name, value) == 0 {
            chttpd_response_release(response)
            return nil
        }
        self.length = length
        self.rewritesTags = rewritesTags
        self.body = body
        self.response = response
        fields = .allocate(capacity: Self.fieldsBytesMax)
        ends = .allocate(capacity: Self.fieldsMax)
    }

    deinit {
        chttpd_response_release(response)
        fields.deallocate()
        ends.deallocate()
    }

    /// Queues the response with these fields and this body, which has its length. Returns whether
    /// the library took it; where not, the response is of no use any more.
    func send(
        on connection: OpaquePointer,
        status: Int,
        fields: UnsafeRawBufferPointer,
        count: Int,
        body: UnsafeRawBufferPointer,
        date: DateField
    ) -> Bool {
        guard fields.count <= Self.fieldsBytesMax, count <= Self.fieldsMax, set(date), set(fields)
        else { return false }
        if let start = body.baseAddress { memcpy(self.body, start, length) }
        return chttpd_respond(connection, UInt32(status), response) != 0
    }

    /// Makes its fields these. What comes before the first that differs stays.
    private func set(_ new: UnsafeRawBufferPointer) -> Bool {
        guard let source = new.baseAddress else { return remove(from: 0) }
        let same = common(source, new.count)
        guard same < new.count || same < end(of: fieldCount) else { return true }
        if rewriteTag(source, count: new.count, same: same) { return true }
        tag = nil
        var kept = fieldCount
        while kept > 0, ends[kept - 1] > same { kept -= 1 }
        guard remove(from: kept) else { return false }
        var start = end(of: kept)
        memcpy(fields + start, source + start, new.count - start)
        while start < new.count {
            let name = fields + start
            let value = name + strlen(name) + 1
            guard chttpd_response_add(response, name, value) != 0 else { return false }
            start = value + strlen(value) + 1 - fields
            ends[fieldCount] = start
            fieldCount += 1
        }
        findTag()
        return true
    }

    /// Notes where the tag is, if it is the last field and the only one of its name.
    private func findTag() {
        guard rewritesTags, fieldCount > 0 else { return }
        for field in 0..<fieldCount {
            let isTag = strcasecmp(fields + end(of: field), "ETag") == 0
            guard isTag == (field == fieldCount - 1) else { return }
        }
        tag = chttpd_response_value(response, "ETag")
    }

    /// Writes over the tag where it is all that differs, in no more than its value.
    private func rewriteTag(_ new: UnsafeRawPointer, count newCount: Int, same: Int) -> Bool {
        guard let tag, newCount == end(of: fieldCount) else { return false }
        let start = end(of: fieldCount - 1) + 5
        guard same >= start else { return false }
        let length = newCount - start
        let value = (new + start).assumingMemoryBound(to: CChar.self)
        // As long, and not two texts.
        guard strnlen(value, length) == length - 1 else { return false }
        memcpy(fields + start, value, length)
        memcpy(tag, value, length)
        return true
    }

    /// Takes out the fields from this one on.
    private func remove(from first: Int) -> Bool {
        while fieldCount > first {
            let name = fields + end(of: fieldCount - 1)
            guard chttpd_response_remove(response, name, name + strlen(name) + 1) != 0 else {
                return false
            }
            fieldCount -= 1
        }
        return true
    }

    private func set(_ new: DateField) -> Bool {
        guard new.second != date?.second else { return true }
        if let date {
            guard date.withText({ chttpd_response_remove(response, "Date", $0) }) != 0 else {
                return false
            }
        }
        date = new
        return new.withText { chttpd_response_add(response, "Date", $0) } != 0
    }

    /// Where the first so many fields end.
    private func end(of count: Int) -> Int { count == 0 ? 0 : ends[count - 1] }

    /// How many of these bytes the fields begin with.
    private func common(_ new: UnsafeRawPointer, _ newCount: Int) -> Int {
        let own = UnsafeRawPointer(fields)
        let count = min(end(of: fieldCount), newCount)
        var offset = 0
        while offset + 8 <= count,
            own.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                == new.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        {
            offset += 8
        }
        while offset < count,
            own.load(fromByteOffset: offset, as: UInt8.self)
                == new.load(fromByteOffset: offset, as: UInt8.self)
        {
            offset += 1
        }
        return offset
    }
}
