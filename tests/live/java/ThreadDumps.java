// SPDX-License-Identifier: BSD-2-Clause
/** Takes thread dumps: pauses that are no collections. Arguments: seconds gap-ms. */
import java.util.concurrent.locks.LockSupport;

public class ThreadDumps {
	private static volatile long sink;

	public static void main(String[] args) throws InterruptedException {
		long end = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
		long gap = args.length > 1 ? Long.parseLong(args[1]) : 10;

		for (int i = 0; i < 8; i++)
			new Thread(() -> rest(end), "rest-" + i).start();
		new Thread(() -> compute(end), "compute").start();
		while (System.nanoTime() < end) {
			sink += Thread.getAllStackTraces().size();
			Thread.sleep(gap);
		}
	}

	private static void rest(long end) {
		while (System.nanoTime() < end)
			LockSupport.parkNanos(5_000_000);
	}

	private static void compute(long end) {
		long x = 1;

		while (System.nanoTime() < end)
			for (int i = 0; i < 1000; i++)
				x = x * 31 + i;
		sink += x;
	}
}
