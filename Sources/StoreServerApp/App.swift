import DefaultStore
import StoreServer

@main
struct App {
    static func main() {
        StoreServer(AppState.self, actions: [ScreenShown.self]).main()
    }
}
