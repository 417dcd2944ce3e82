// SPDX-License-Identifier: BSD-2-Clause
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A small HTTP server as they are: a pool of threads, some garbage for each request, and a cache that keeps part of it
 * alive, so that the collector has something to copy. Prints its port once it listens; ends when its input ends.
 * Argument: pieces of garbage a request (24).
 */
public class Server {
	static final int THREADS = 8;
	static final int ENTRIES = 4000; // kept alive, 8 to 24 KB each
	static int pieces = 24;          // of garbage a request, 2 to 6 KB each

	static final ConcurrentLinkedDeque<byte[]> cache = new ConcurrentLinkedDeque<>();

	static void answer(HttpExchange exchange) throws IOException {
		StringBuilder text = new StringBuilder();
		ThreadLocalRandom random = ThreadLocalRandom.current();

		for (int i = 0; i < pieces; i++)
			text.append(new String(new byte[random.nextInt(2048, 6144)], StandardCharsets.UTF_8).hashCode()).append('\n');
		cache.addLast(new byte[random.nextInt(8192, 24576)]);
		if (cache.size() > ENTRIES)
			cache.pollFirst();
		byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(200, body.length);
		exchange.getResponseBody().write(body);
		exchange.close();
	}

	public static void main(String[] args) throws Exception {
		if (args.length > 0)
			pieces = Integer.parseInt(args[0]);
		// JDK 17 writes header and body apart: with Nagle's algorithm the body waits for the client's delayed ACK.
		System.setProperty("sun.net.httpserver.nodelay", "true");
		for (int i = 0; i < ENTRIES; i++)
			cache.add(new byte[16384]);
		HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		server.createContext("/", Server::answer);
		server.setExecutor(Executors.newFixedThreadPool(THREADS));
		server.start();
		System.out.println(server.getAddress().getPort());
		while (System.in.read() >= 0)
			continue;
		System.exit(0);
	}
}
