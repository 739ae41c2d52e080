import StoreAdmission
import StoreCore
import StoreHTTPTransport
import StoreJSON
import StoreJSONSchema
import StorePublishing
import StoreTexts
import StoreWire

/// `GET /schedule` lists the timers that are still due. `DELETE /schedule/{timer}` removes a timer.
struct ScheduleRoutes: RouteGroup {
    let store: Store

    private var pages: NamePages { NamePages(memberName: "timers", path: store.links.schedule) }

    var routes: [Route] {
        let timer = JSONSchema.object([
            .init("timer", .string()), .init("module", .string()), .init("id", .string()),
            .init("due", .string()), .init("cause", .unsigned), .init("href", .string()),
        ])
        return [
            .reading(
                store.links.schedule,
                "Schedule",
                "The timers that are still due, by name.",
                needs: .schedule,
                parameters: NamePages.parameters,
                answers: [
                    .json(pages.schema(of: timer), "The timers, and the path of the next page.")
                ],
                handle: answerList
            ),
            .changing(
                .delete,
                store.links.schedule + "/{timer...}",
                "cancelTimer",
                "Remove a timer; its action is not dispatched any more.",
                needs: .effects,
                parameters: [
                    Parameter.path("timer", "The timer's name; its slashes may be encoded.")
                ],
                answers: [.noContent],
                problems: [.notFound, .storageFull],
                handle: cancel
            ),
        ]
    }

    private func answerList(_ request: RequestContext) throws(Problem) {
        let caller = try request.caller()
        pages.answer(request, by: store.reader) { [reader = store.reader] after, limit in
            reader.timers(for: caller, after: after, limit: limit)
        } name: {
            $0.name
        } write: { [links = store.links] json, timer in
            json.member("timer", timer.name)
            json.member("module", timer.entry.module)
            json.member("id", timer.entry.id)
            json.member("due", timer.entry.dueTime)
            json.member("cause", timer.entry.version)
            json.member("href", links.timer(timer.name))
        }
    }

    private func cancel(_ request: RequestContext) throws(Problem) {
        let rest = try request.pathParameter().dropFirst()
        guard let name = PercentEncoding.decode(rest) else {
            throw .badRequest("'\(Problem.excerpt(String(rest)))' is badly percent-encoded.")
        }
        let caller = try request.caller()
        guard store.reader.hasTimer(name, for: caller) else { throw request.notFound }
        try SessionTicket(request, store) { version in
            version.map { _ in .noContent(settingCookies: []) }
        }.dispatch(Schedule.Internal.cancelled(timer: name), from: caller.session)
    }
}

extension Schedule.Entry {
    /// The address of the slice that the timer belongs to.
    fileprivate var address: SliceAddress {
        let id = slice.utf8.firstIndex(of: UInt8(ascii: "/")).map {
            String(slice[slice.utf8.index(after: $0)...])
        }
        return SliceAddress(module: module, SliceKey(owner: owner, instance: id))
    }

    /// The module that the timer belongs to.
    var module: String {
        String(decoding: slice.utf8.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    }

    /// The time at which the timer is due next, by RFC 3339.
    fileprivate var dueTime: String {
        let (seconds, nanosecond) = due.quotientAndRemainder(dividingBy: 1_000_000_000)
        let isBefore = nanosecond < 0
        return CivilTime(
            secondsSince1970: isBefore ? seconds - 1 : seconds,
            nanosecond: Int(isBefore ? nanosecond + 1_000_000_000 : nanosecond)
        ).rfc3339(.milliseconds)
    }
}

// The timers, as a caller sees them.

extension StateReader {
    /// Returns the timers of the newest version whose slices the caller sees, sorted by name. The
    /// list begins behind the name `after`, and has at most `limit` timers. The call is slow if the
    /// store has many timers.
    func timers(
        for caller: Caller,
        after: String?,
        limit: Int
    ) -> (version: UInt64, timers: [(name: String, entry: Schedule.Entry)]) {
        let snapshot = newestSnapshot.value
        let first = after.map { ExactText($0) }
        var found: [(name: String, entry: Schedule.Entry)] = []
        for name in snapshot.timerNames {
            if found.count == limit { break }
            if let first, ExactText(name) <= first { continue }
            if let entry = timer(name, of: snapshot, for: caller) { found.append((name, entry)) }
        }
        return (snapshot.version, found)
    }

    /// Returns true if a timer has this name, and the caller sees the timer's slice.
    func hasTimer(_ name: String, for caller: Caller) -> Bool {
        timer(name, of: newestSnapshot.value, for: caller) != nil
    }

    private func timer(_ name: String, of snapshot: Snapshot, for caller: Caller) -> Schedule.Entry?
    {
        guard let bytes = snapshot.timer(named: name),
            let entry = try? JSONDecoder(limits: .unbounded).decode(
                Schedule.Entry.self,
                from: bytes.withUnsafeBytes { Array($0) }
            ),
            shows(entry.address, to: caller)
        else { return nil }
        return entry
    }
}
