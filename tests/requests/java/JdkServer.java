// SPDX-License-Identifier: BSD-2-Clause
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The JDK's own HTTP server. Arguments: seconds, address. The property "executor" is pool (of 4 threads) or virtual (JDK 21 and later). */
public class JdkServer {
	public static void main(String[] args) throws Exception {
		InetAddress at = args.length > 1 ? InetAddress.getByName(args[1]) : InetAddress.getLoopbackAddress();
		HttpServer server = HttpServer.create(new InetSocketAddress(at, 0), 1024);
		Work work = new Work();
		ExecutorService executor = executor(System.getProperty("executor", "pool"));

		server.createContext("/", exchange -> work.handle(exchange.getRequestURI().getPath(), exchange.getRequestURI().getQuery(),
			(status, body) -> answer(exchange, status, body)));
		server.setExecutor(executor);
		server.start();
		Life.live(args, server.getAddress().getPort(), work, () -> server.stop(0));
	}

	private static ExecutorService executor(String kind) throws ReflectiveOperationException {
		if (kind.equals("virtual"))
			return (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
		return Executors.newFixedThreadPool(4);
	}

	private static void answer(HttpExchange exchange, int status, byte[] body) throws IOException {
		exchange.sendResponseHeaders(status, body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}
}
