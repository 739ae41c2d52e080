import StoreHTTPTransport
import StoreHistory
import StoreWire

extension LogPage {
    /// Returns the path of the next page. At the end of the log, later actions will appear there.
    func next(_ links: Links) -> String {
        let type = query.type.map { "&type=" + PercentEncoding.encode($0) } ?? ""
        let cause = query.cause.map { "&cause=\($0)" } ?? ""
        return links.actions + "?after=\(through)&limit=\(query.limit)" + type + cause
    }

    func response(_ links: Links) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: .bytes(body(links))
        )
    }

    private func body(_ links: Links) -> [UInt8] {
        var body = JSONOutput(capacity: 256 + 192 * records.count)
        body.raw("{\"epoch\":\"")
        body.raw(epoch.description.utf8)
        body.raw("\",\"version\":")
        body.integer(newest)
        body.raw(",\"actions\":[")
        for (place, record) in records.enumerated() {
            if place > 0 { body.raw(",") }
            body.record(record)
        }
        body.raw("],\"next\":")
        body.string(next(links))
        body.raw("}")
        return body.array
    }
}
