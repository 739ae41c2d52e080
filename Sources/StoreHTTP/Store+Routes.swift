package import StoreAdmission
package import StoreCore
package import StoreJSON
package import StoreJSONSchema
package import StoreMetrics
import StorePatterns
package import StoreTelemetry
package import StoreWire

// The groups of routes of a store. The code that assembles the store chooses among these groups.

extension Store {
    /// Returns the routes of every store.
    package func commonRoutes(for reactions: [NotificationReaction]) -> [any RouteGroup] {
        [
            DispatchRoutes(store: self), StateRoutes(store: self), EventsRoutes(store: self),
            LogRoutes(store: self), TraceRoutes(store: self), ActionEventsRoutes(store: self),
            NotificationRoutes(store: self, reactions: reactions),
        ]
    }

    /// Returns the routes of a state that is made of modules; an empty array for any other state.
    package func moduleRoutes(for methods: [BoundUseCaseMethod]) -> [any RouteGroup] {
        guard let runner = engine.effects, let views = reader.views else { return [] }
        var groups: [any RouteGroup] = [
            ModuleListRoutes(store: self), ModuleRoutes(store: self),
            ViewRoutes(store: self, views: views),
            EffectRoutes(links: links, runner: runner, reader: reader),
            UseCaseRoutes(store: self, methods: methods),
        ]
        if modules.contains(where: { $0.name == Schedule.name }) {
            groups.append(ScheduleRoutes(store: self))
        }
        guard hasSessionModule, let sessions, let watch = engine.routeWatch else { return groups }
        // Joined sessions begin and end in the store at `/`.
        if hasOwnSessions { groups.append(SessionRoutes(store: self, table: sessions)) }
        return groups + [PresentationRoutes(store: self, watch: watch)]
    }

    /// True if users have slices.
    var hasUsers: Bool { modules.contains { $0.ownership == .principal } }

    private var hasSessionModule: Bool { modules.contains { $0.name == Sessions.name } }

    /// Returns the routes for metrics and health. Only the store at `/` has the process's metrics.
    ///
    /// `stores` returns the stores whose metrics are served. `livenessProblem` returns a failure
    /// that a restart of the process would mend. `readiness` returns the reasons why the server
    /// takes no requests, such as a stop.
    package func operationRoutes(
        measuring stores: @escaping @Sendable () -> [MeasuredStore],
        _ process: MeasuredProcess,
        livenessProblem: @escaping @Sendable () -> Problem?,
        readiness: @escaping @Sendable () -> Readiness
    ) -> [any RouteGroup] {
        let process = links.storeName == nil ? process : nil
        return [
            MetricsRoutes(links: links, stores: stores, process: process),
            HealthRoutes(links: links, livenessProblem: livenessProblem, readiness: readiness),
        ]
    }

    /// Returns the route for the last analytics events.
    package func analyticsRoutes(for recent: RecentAnalytics) -> [any RouteGroup] {
        [AnalyticsRoutes(store: self, recent: recent)]
    }

    /// Returns the operators' debug routes. `presenters` are the names of the presenters of the
    /// whole state.
    package func debugRoutes(
        for attachments: CoreAttachments,
        presenters: [String],
        _ commands: [ExposedCommand]
    ) -> [any RouteGroup] {
        [
            SubscriptionRoutes(
                store: self,
                attachments: attachments,
                wholeStatePresenterNames: presenters
            ),
            AttachmentRoutes(links: links, attachments: attachments),
            CommandRoutes(links: links, commands: commands, limits: bounds.json),
        ]
    }

    /// Returns the routes that show and move a test clock.
    package func clockRoutes(for clock: ManualClock) -> [any RouteGroup] {
        [TestClockRoutes(links, clock, bounds.json)]
    }

    /// Returns the routes that show a client its identity. With access control, other routes give a
    /// browser a cookie for its credential, unless browsers use the cookie of the store at `/`.
    package func clientRoutes(
        _ access: AccessControl?,
        withCookiesOfRoot hasCookiesOfRoot: Bool = false
    ) -> [any RouteGroup] {
        let client = ClientIdentityRoutes(links: links)
        guard let access else { return [client] }
        if hasCookiesOfRoot { return [client] + (hasUsers ? [UserRoutes(store: self)] : []) }
        let hasSessions = sessions != nil && hasSessionModule
        let credentials = CredentialRoutes(links: links, access: access, hasSessions: hasSessions)
        return [client, credentials] + (hasUsers ? [UserRoutes(store: self)] : [])
    }

    /// Returns the routes that describe the server.
    ///
    /// `schema` describes the state, as a client's session sees it, and the actions.
    /// `operatorSchema` describes the state of all sessions. `components` are the named schemas to
    /// which the description of the API refers.
    package func discoveryRoutes(
        title: String,
        version: String,
        schema: Bytes,
        operatorSchema: Bytes,
        components: [JSONSchema.Property]
    ) -> any RouteGroup {
        DiscoveryRoutes(
            links: links,
            title: title,
            programVersion: version,
            schema: schema,
            operatorSchema: operatorSchema,
            components: components,
            newestVersion: { [reader] in reader.version }
        )
    }
}
