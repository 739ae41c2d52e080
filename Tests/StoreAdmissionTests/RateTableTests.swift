import StoreHTTPTransport
import Testing

@testable import StoreAdmission

/// The counts of shares, also with more clients than rows (protocol 9.3).
@Suite struct RateTableTests {
    private let limit = RateLimit(count: 10, seconds: 10)
    private let second: Int64 = 1_000_000_000

    private func key(_ number: UInt64) -> RateKey {
        RateKey(.internet(IPAddress(high: number, low: 7)))
    }

    @Test func `a whole share may be taken at once, and comes back evenly`() {
        var table = RateTable()
        for left in (0..<10).reversed() {
            let share = table.take(1, of: .requests, limit, by: key(1), at: 100 * second)
            #expect(share.remaining == left && share.retryAfterNanoseconds == nil)
            #expect(share.nanosecondsUntilWhole == Int64(10 - left) * second)
        }
        let refused = table.take(1, of: .requests, limit, by: key(1), at: 100 * second)
        #expect(
            refused
                == RateShare(
                    remaining: 0,
                    nanosecondsUntilWhole: 10 * second,
                    retryAfterNanoseconds: second
                )
        )
        let early = table.take(1, of: .requests, limit, by: key(1), at: 101 * second - 1)
        #expect(early.retryAfterNanoseconds == 1)
        #expect(
            table.take(1, of: .requests, limit, by: key(1), at: 101 * second).retryAfterNanoseconds
                == nil
        )
        #expect(
            table.take(3, of: .requests, limit, by: key(1), at: 104 * second).retryAfterNanoseconds
                == nil
        )
        // Another client and another kind of request have shares of their own.
        #expect(table.take(10, of: .requests, limit, by: key(2), at: 100 * second).remaining == 0)
        #expect(table.take(1, of: .streams, limit, by: key(1), at: 101 * second).remaining == 9)
    }

    @Test func `more than a whole share is taken from a whole share, and paid back`() {
        var table = RateTable()
        #expect(
            table.take(35, of: .actions, limit, by: key(1), at: second).retryAfterNanoseconds == nil
        )
        // 25 actions have to become free before the share is zero, and one more for this action.
        let next = table.take(1, of: .actions, limit, by: key(1), at: second)
        #expect(next.remaining == 0 && next.retryAfterNanoseconds == 26 * second)
        // A share that is partly used allows no request above the whole share.
        #expect(
            table.take(1, of: .actions, limit, by: key(2), at: second).retryAfterNanoseconds == nil
        )
        #expect(
            table.take(35, of: .actions, limit, by: key(2), at: second).retryAfterNanoseconds
                == second
        )
    }

    @Test func `a client beyond the rows shares a row, and gets no whole share`() {
        var table = RateTable(rowsCount: RateTable.candidateRowsCount)
        for number in 0..<UInt64(RateTable.candidateRowsCount) {
            #expect(table.take(10, of: .requests, limit, by: key(number), at: 0).remaining == 0)
        }
        for number in 100..<UInt64(200) {
            let share = table.take(1, of: .requests, limit, by: key(number), at: second / 2)
            #expect(share.retryAfterNanoseconds != nil, "client \(number)")
        }
        // A row with unused shares may go to any client.
        #expect(table.take(10, of: .requests, limit, by: key(300), at: 10 * second).remaining == 0)
    }

    @Test func `an IPv6 client is its first 64 bits, an IPv4 client is equal in both forms`() throws
    {
        let first = try #require(IPAddress("2001:db8:1:2::1"))
        let second = try #require(IPAddress("2001:db8:1:2:ffff::9"))
        let other = try #require(IPAddress("2001:db8:1:3::1"))
        #expect(RateKey(.internet(first)) == RateKey(.internet(second)))
        #expect(RateKey(.internet(first)) != RateKey(.internet(other)))
        let v4 = try #require(IPAddress("192.0.2.1"))
        let same = try #require(IPAddress("::ffff:c000:201"))
        let next = try #require(IPAddress("192.0.2.2"))
        #expect(RateKey(.internet(v4)) == RateKey(.internet(same)))
        #expect(RateKey(.internet(v4)) != RateKey(.internet(next)))
        #expect(RateKey(.unix) != RateKey(.unknown))
        #expect(RateKey(principal: "ada") == RateKey(principal: "ada"))
        #expect(RateKey(principal: "ada") != RateKey(principal: "bob"))
    }
}
