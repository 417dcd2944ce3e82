// SPDX-License-Identifier: BSD-2-Clause

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Names FILE: threads with names of every kind, half of them making garbage so that the heap moves all the time. Others come and go, and
 * whole collections close the gaps they leave, so that objects of one kind slide to where others of that kind were. Each thread adds
 * "tid TAB name" to FILE as it begins, by what it and the kernel say; once all that stay are there, FILE.ready comes. Never ends.
 */
final class Names {
	private static final int STAYING = 40;
	private static final int PASSING = 16;
	private static final CountDownLatch started = new CountDownLatch(STAYING);
	private static OutputStream truth;
	private static volatile Object sink;

	private Names() {}

	public static void main(String[] arguments) throws Exception {
		truth = Files.newOutputStream(Path.of(arguments[0]), StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
		note();
		for (int i = 0; i < STAYING; i++)
			start(i);
		started.await();
		start("closes the gaps", () -> {
			while (true) {
				System.gc();
				sleep(80);
			}
		});
		Files.createFile(Path.of(arguments[0] + ".ready"));
		comeAndGo();
	}

	/* Names that differ behind what the kernel keeps of them only. */
	private static void comeAndGo() throws InterruptedException {
		List<Thread> passing = new ArrayList<>();

		for (int i = 0;; i++) {
			passing.add(start("http-nio-8080-exec-" + i + " passes by", () -> {
				note();
				sleep(100);
			}));
			if (passing.size() >= PASSING)
				passing.remove(0).join();
			sleep(3);
		}
	}

	private static String nameOf(int i) {
		switch (i % 6) {
		case 0: return "http-nio-8080-exec-" + i + " of a long name";
		case 1: return "w" + i;
		case 2: return "Gr\u00f6\u00dfe-\u00dcbertragung-" + i; // Latin-1
		case 3: return "\u65e5\u672c\u8a9e\u306e\u30b9\u30ec\u30c3\u30c9\u540d-" + i; // UTF-16
		case 4: return "\ud83d\ude00 beyond the BMP " + i;
		default: return "exactly15chars" + i % 10;
		}
	}

	private static void start(int i) {
		start(nameOf(i), () -> stay(i % 2 == 0));
	}

	private static Thread start(String name, Runnable body) {
		Thread thread = new Thread(body, name);

		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	private static void stay(boolean busy) {
		List<byte[]> kept = new ArrayList<>();

		note();
		started.countDown();
		while (true) {
			for (int i = 0; busy && i < 300; i++) {
				sink = "garbage of thread " + i + Thread.currentThread().getName();
				kept.add(new byte[i * 7]);
			}
			if (kept.size() > 5000)
				kept.clear();
			sleep(busy ? 1 : 20);
		}
	}

	private static void note() {
		try {
			String tid = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName().toString();
			String line = tid + "\t" + Thread.currentThread().getName() + "\n";

			synchronized (Names.class) {
				truth.write(line.getBytes(StandardCharsets.UTF_8));
			}
		} catch (IOException e) {
			throw new IllegalStateException(e);
		}
	}

	private static void sleep(long ms) {
		try {
			Thread.sleep(ms);
		} catch (InterruptedException e) {
			throw new IllegalStateException(e);
		}
	}
}
