public import StoreActionCatalog
import StoreAdmission
import StoreAuthentication
import StoreCommandLine
import StoreHTTPTransport
import StoreTraceExport

extension ServerConfiguration {
    /// Refuses options that are invalid or do not fit together.
    ///
    /// - Throws: `ConfigurationError`, whose message has one line about the first mistake.
    public func check() throws(ConfigurationError) {
        // The endpoint may also come from a variable of OpenTelemetry, which the options do not
        // check.
        if let endpoint = traces.endpoint, CollectorURL(endpoint) == nil {
            throw .disallowedValue(
                endpoint,
                of: "--otlp-endpoint or OTEL_EXPORTER_OTLP_ENDPOINT",
                allowed: CollectorURL.allowedForm
            )
        }
        for option in Self.options {
            try ConfigurationError.wrapErrors { try option.check(self) }
        }
        try checkListeners()
        try checkCredentials()
        if let group = http.socketGroup, SocketAccess.groupID(named: group) == nil {
            throw ConfigurationError("--socket-group: there is no group '\(group)'")
        }
        let buffersMin = Self.bufferedBodiesMin * http.bodyBytesMax
        if let bytes = http.buffersBytesMax, bytes < buffersMin {
            throw ConfigurationError(
                "--buffers-max: \(bytes) bytes hold fewer than \(Self.bufferedBodiesMin) of the "
                    + "largest bodies; give at least \(buffersMin), or lower --body-max"
            )
        }
        guard clock == .system || history.ephemeral else {
            throw ConfigurationError(
                "--clock: 'test' gives actions invented times, which no history may have; "
                    + "give --ephemeral, too"
            )
        }
    }

    /// Refuses addresses on which the server can't listen, and addresses that other machines can
    /// reach without a login.
    private func checkListeners() throws(ConfigurationError) {
        guard !http.listen.isEmpty else {
            throw ConfigurationError("--listen: at least one address is needed")
        }
        let all =
            http.listen.map { ($0, "--listen") } + http.adminListen.map { ($0, "--admin-listen") }
        for (text, flag) in all {
            if let problem = ListenAddress.reasonNotAllowed(text) {
                throw ConfigurationError("\(flag): \(problem)")
            }
            guard let address = ListenAddress(text) else { continue }
            guard address.isLoopback || access.allowAnonymous || access.policyFile != nil else {
                throw ConfigurationError(
                    "\(flag): '\(text)' can be reached from other machines, without a login; "
                        + "listen on loopback, give a --policy, or give --allow-anonymous"
                )
            }
        }
    }

    private func checkCredentials() throws(ConfigurationError) {
        guard access.policyFile != nil || !authentication.takesCredentials else {
            throw ConfigurationError(
                "--auth-keys and --jwt-keys need --policy: a token names a role, and only a policy "
                    + "gives that role its rights"
            )
        }
        try checkIssuer()
    }

    func checkIssuer() throws(ConfigurationError) {
        let hasKeys = !access.jwtKeyFiles.isEmpty
        guard hasKeys == (access.jwtIssuer != nil), hasKeys == !access.jwtAudiences.isEmpty else {
            throw ConfigurationError(
                "--jwt-keys, --jwt-issuer and --jwt-audience go together: a JWT is accepted if a "
                    + "key of the issuer has signed it, and it names that issuer and this server"
            )
        }
    }

    func checkCredentialFiles() throws(ConfigurationError) {
        try ConfigurationError.wrapErrors { try Authenticator.check(authentication) }
    }
}

extension ConfigurationError {
    /// Calls `body`. Throws an error of `body` as a ``ConfigurationError``, whose message is
    /// `origin` followed by the text of that error.
    static func wrapErrors<Result>(
        _ origin: String = "",
        _ body: () throws -> Result
    ) throws(ConfigurationError) -> Result {
        do { return try body() } catch { throw ConfigurationError("\(origin)\(error)") }
    }
}
