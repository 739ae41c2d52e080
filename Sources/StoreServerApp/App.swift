import DefaultStore
import StoreServer

@main
struct App {
    static func main() {
        Server(AppState.self, actions: [ScreenShown.self]).main()
    }
}
