/// Responses that wait for the next answer of their length.
struct ReusedResponses: ~Copyable {
    /// Longer bodies have a response made for each.
    static let bodyBytesMax = 2 << 10
    /// The most that wait.
    static let countMax = 256

    /// Whether the library that is loaded allows tags to be written over.
    var rewritesTags = false
    /// The fields that all of them have.
    var common = HTTPFields()
    /// Those of each length.
    private var waiting = [[ReusedResponse]](repeating: [], count: bodyBytesMax + 1)
    private var count = 0

    /// A response of this length; `nil` where it is too long, or there is no memory.
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
            // Those of lengths that come no more would stay for good.
            for length in waiting.indices { waiting[length] = [] }
            count = 0
        }
        waiting[response.length].append(response)
        count += 1
    }
}
