/// Responses that wait for the next answer of their length.
struct ReusedResponses: ~Copyable {
    /// The longest body of a reused response. An answer with a longer body gets a response of its
    /// own.
    static let bodyBytesMax = 2 << 10
    /// The most responses that wait.
    static let countMax = 256

    /// True if the loaded library allows tags to be written over.
    var rewritesTags = false
    /// The fields that every response has.
    var common = HTTPFields()
    /// The waiting responses, by the length of their body.
    private var waiting = [[ReusedResponse]](repeating: [], count: bodyBytesMax + 1)
    private var count = 0

    /// Takes or makes a response of this length; `nil` if the length is over the bound, or there is
    /// no memory.
    mutating func take(length: Int) -> ReusedResponse? {
        guard length <= Self.bodyBytesMax else { return nil }
        guard let response = waiting[length].popLast() else {
            return ReusedResponse(length: length, common, rewritesTags: rewritesTags)
        }
        count -= 1
        return response
    }

    /// Takes a response back. Its request must be over.
    mutating func giveBack(_ response: ReusedResponse) {
        if count == Self.countMax {
            // Otherwise, responses of lengths that do not come again would stay for good.
            for length in waiting.indices { waiting[length] = [] }
            count = 0
        }
        waiting[response.length].append(response)
        count += 1
    }
}
