public import StoreActionCatalog
import StoreAdmission
import StoreHTTP
import StoreHTTPTransport
import StoreJournalSQLite
import StoreTelemetry
import StoreWire

extension ServerConfiguration {
    /// Refuses options that are invalid or do not fit together.
    ///
    /// - Throws: `ConfigurationError`, whose message has one line about the first mistake.
    public func check() throws(ConfigurationError) {
        guard !listen.isEmpty else {
            throw ConfigurationError("--listen: at least one address is needed")
        }
        let all = listen.map { ($0, "--listen") } + adminListen.map { ($0, "--admin-listen") }
        for (text, flag) in all {
            if let problem = ListenAddress.problem(of: text) {
                throw ConfigurationError("\(flag): \(problem)")
            }
            guard let address = ListenAddress(text) else { continue }
            guard address.isLoopback || allowAnonymous || policyFile != nil else {
                throw ConfigurationError(
                    "\(flag): '\(text)' can be reached from other machines, without a login; "
                        + "listen on loopback, give a --policy, or give --allow-anonymous"
                )
            }
        }
        try checkAuthentication()
        try checkWeb()
        try checkTraces()
        // The journal can't hold a larger record; an append of it would end the server.
        guard bodyBytesMax <= SQLiteJournal.fieldBytesMax else {
            throw ConfigurationError(
                "--body-max: \(bodyBytesMax) bytes are more than one record of history can hold, which is "
                    + "\(SQLiteJournal.fieldBytesMax); give at most that"
            )
        }
        guard buffersBytesMax == 0 || buffersBytesMax >= Self.buffersBodiesMin * bodyBytesMax else {
            throw ConfigurationError(
                "--buffers-max: \(buffersBytesMax) bytes are less than \(Self.buffersBodiesMin) of the "
                    + "largest bodies take; give at least \(Self.buffersBodiesMin * bodyBytesMax), or "
                    + "lower --body-max"
            )
        }
        guard 0...RecentAnalytics.countCeiling ~= analyticsRecent else {
            throw ConfigurationError(
                "--analytics-recent: \(analyticsRecent) events can't be kept; give 0 to "
                    + "\(RecentAnalytics.countCeiling)"
            )
        }
        guard URIReference.isValid(analyticsSource) else {
            throw .value(
                analyticsSource,
                of: "--analytics-source",
                allowed: URIReference.allowed
            )
        }
        guard clock == .system || ephemeral else {
            throw ConfigurationError(
                "--clock: 'test' gives actions invented times, which no history may have; "
                    + "give --ephemeral, too"
            )
        }
    }

    /// True if operators have listeners of their own.
    var separatesOperators: Bool { !adminListen.isEmpty }

    /// True if the routes for operators can be reached only from this machine.
    var isLoopbackForOperators: Bool {
        (separatesOperators ? adminListen : listen).allSatisfy {
            ListenAddress($0)?.isLoopback ?? false
        }
    }

    /// The hosts of the listeners, which the `Host` header may therefore name.
    var listenHosts: [String] {
        (listen + adminListen).compactMap { ListenAddress($0)?.host }
    }

    /// The rule for values of the `Host` header.
    var hostRule: HostRule { HostRule(listening: listenHosts, further: allowedHosts) }
}
