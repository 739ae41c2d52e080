import CStoreHTTPD
import Glibc

/// A response object of the library, which is queued for many requests, one after another.
///
/// A new response costs the library an allocation, a copy of the body, and three allocations for
/// each field. A reused response always has a body of the same length, and only fields that differ
/// are added anew. Most answers differ only in their last field, the `ETag`. So a tag of the same
/// length is written over the old tag.
final class ReusedResponse {
    // Safety: only the loop's thread uses the properties, one property at a time. So the properties
    // need no check for overlapping accesses.

    /// The bounds of a reused head. An answer with a longer head gets a response of its own.
    private static let fieldsBytesMax = 512
    private static let fieldsMax = 12

    let bodyLength: Int
    private let response: OpaquePointer
    // Safety: the library frees the body with the response, which exists until `deinit`.
    private let body: UnsafeMutableRawPointer
    /// The fields of the response, in the form of ``HTTPFields``.
    private let fields: UnsafeMutablePointer<CChar>
    /// The offset at which each field ends.
    private let fieldEnds: UnsafeMutablePointer<Int>
    @exclusivity(unchecked) private var fieldCount = 0
    /// The library's copy of the `ETag`, if the `ETag` is the last field and may be written over.
    @exclusivity(unchecked) private var etag: UnsafeMutablePointer<CChar>?
    private let rewritesTags: Bool
    /// The `Date` of the response, which is not among its fields.
    @exclusivity(unchecked) private var date: DateField?

    /// Makes a response that always has the fields `common`; `nil` if there is no memory.
    /// `rewritesTags` is true if the loaded library allows tags to be written over.
    init?(bodyLength: Int, _ common: HTTPFields, rewritesTags: Bool) {
        guard let body = malloc(max(bodyLength, 1)) else { return nil }
        guard let response = chttpd_response_make(body, bodyLength) else {
            free(body)
            return nil
        }
        for (name, value) in common.namesAndValues
        where chttpd_response_add(response, name, value) == 0 {
            MHD_destroy_response(response)
            return nil
        }
        self.bodyLength = bodyLength
        self.rewritesTags = rewritesTags
        self.body = body
        self.response = response
        fields = .allocate(capacity: Self.fieldsBytesMax)
        fieldEnds = .allocate(capacity: Self.fieldsMax)
    }

    deinit {
        MHD_destroy_response(response)
        fields.deallocate()
        fieldEnds.deallocate()
    }

    /// Queues the response with these fields and this body. The body must have the response's
    /// length. Returns `false` if the library did not take the response, which then must not be
    /// used again.
    func send(
        on connection: OpaquePointer,
        status: Int,
        fields: UnsafeRawBufferPointer,
        count: Int,
        body: UnsafeRawBufferPointer,
        date: DateField
    ) -> Bool {
        guard fields.count <= Self.fieldsBytesMax, count <= Self.fieldsMax, setDate(date),
            setFields(fields)
        else { return false }
        if let start = body.baseAddress { memcpy(self.body, start, bodyLength) }
        return chttpd_respond(connection, UInt32(status), response) != 0
    }

    /// Replaces the fields from the first difference on. Returns `false` if the library refuses a
    /// field.
    private func setFields(_ new: UnsafeRawBufferPointer) -> Bool {
        guard let source = new.baseAddress else { return removeFields(from: 0) }
        let same = commonPrefixLength(with: source, new.count)
        guard same < new.count || same < endOffset(ofFields: fieldCount) else { return true }
        if rewriteTag(source, count: new.count, commonPrefixLength: same) { return true }
        etag = nil
        var kept = fieldCount
        while kept > 0, fieldEnds[kept - 1] > same { kept -= 1 }
        guard removeFields(from: kept) else { return false }
        var start = endOffset(ofFields: kept)
        memcpy(fields + start, source + start, new.count - start)
        while start < new.count {
            let name = fields + start
            let value = name + strlen(name) + 1
            guard chttpd_response_add(response, name, value) != 0 else { return false }
            start = value + strlen(value) + 1 - fields
            fieldEnds[fieldCount] = start
            fieldCount += 1
        }
        findTag()
        return true
    }

    /// Finds the library's copy of the tag, if the `ETag` is the last field and occurs only once.
    private func findTag() {
        guard rewritesTags, fieldCount > 0 else { return }
        for field in 0..<fieldCount {
            let isTag = strcasecmp(fields + endOffset(ofFields: field), "ETag") == 0
            guard isTag == (field == fieldCount - 1) else { return }
        }
        // Safety: a probe has shown that the library sends its copy even after a program has
        // changed the copy.
        etag = UnsafeMutablePointer(mutating: MHD_get_response_header(response, "ETag"))
    }

    /// Writes the new tag over the old tag if both have the same length and no other field differs.
    /// Returns true if the tag was written.
    private func rewriteTag(_ new: UnsafeRawPointer, count newCount: Int, commonPrefixLength: Int)
        -> Bool
    {
        guard let etag, newCount == endOffset(ofFields: fieldCount) else { return false }
        let start = endOffset(ofFields: fieldCount - 1) + 5
        guard commonPrefixLength >= start else { return false }
        let length = newCount - start
        let value = (new + start).assumingMemoryBound(to: CChar.self)
        // The value must be a single text of the same length.
        guard strnlen(value, length) == length - 1 else { return false }
        memcpy(fields + start, value, length)
        memcpy(etag, value, length)
        return true
    }

    /// Removes the field at the index `first`, and all later fields.
    private func removeFields(from first: Int) -> Bool {
        while fieldCount > first {
            let name = fields + endOffset(ofFields: fieldCount - 1)
            guard chttpd_response_remove(response, name, name + strlen(name) + 1) != 0 else {
                return false
            }
            fieldCount -= 1
        }
        return true
    }

    private func setDate(_ new: DateField) -> Bool {
        guard new.unixSeconds != date?.unixSeconds else { return true }
        if let date {
            guard date.withText({ chttpd_response_remove(response, "Date", $0) }) != 0 else {
                return false
            }
        }
        date = new
        return new.withText { chttpd_response_add(response, "Date", $0) } != 0
    }

    /// Returns the offset at which the first `count` fields end.
    private func endOffset(ofFields count: Int) -> Int { count == 0 ? 0 : fieldEnds[count - 1] }

    /// Returns the number of bytes at the start that are the same in the old and the new fields.
    private func commonPrefixLength(with new: UnsafeRawPointer, _ newCount: Int) -> Int {
        let own = UnsafeRawPointer(fields)
        let count = min(endOffset(ofFields: fieldCount), newCount)
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

/// Unused responses. Each response is kept for the next answer with a body of the same length.
struct ReusedResponses: ~Copyable {
    /// The longest body of a reused response. A longer body gets a response of its own.
    static let bodyBytesMax = 2 << 10
    static let waitingMax = 256

    var rewritesTags = false
    var commonFields = HTTPFields()
    /// The waiting responses, by the length of their body.
    private var waitingByLength = [[ReusedResponse]](repeating: [], count: bodyBytesMax + 1)
    private var waitingCount = 0

    /// Returns a waiting response or a new response, with a body of this length. Returns `nil` if
    /// the length is over the bound, or if there is no memory.
    mutating func take(length: Int) -> ReusedResponse? {
        guard length <= Self.bodyBytesMax else { return nil }
        guard let response = waitingByLength[length].popLast() else {
            return ReusedResponse(bodyLength: length, commonFields, rewritesTags: rewritesTags)
        }
        waitingCount -= 1
        return response
    }

    /// Takes a response back. The request of the response must be over.
    mutating func giveBack(_ response: ReusedResponse) {
        if waitingCount == Self.waitingMax {
            // Otherwise, responses of lengths that are no longer used would stay in memory for
            // ever.
            for length in waitingByLength.indices { waitingByLength[length] = [] }
            waitingCount = 0
        }
        waitingByLength[response.bodyLength].append(response)
        waitingCount += 1
    }
}
